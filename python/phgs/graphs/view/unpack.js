"use strict";
// A large page has its viewer compressed. The policy of the page names it by its hash, so that no other script can run.
(async () => {
const $ = (id) => document.getElementById(id), code = JSON.parse($("data").textContent).viewer;
try {
  const bytes = Uint8Array.from(atob(code), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const viewer = document.createElement("script");
  viewer.textContent = await new Response(stream).text();
  document.body.append(viewer);
} catch {
  $("details").textContent = "This browser cannot unpack the graph; one of 2023 or later can.";
}
})();
