// A queue that is gone through by keys (docs/look.md): data-queue holds the items (data-item).
// j, k or arrows move between them; a button with data-item-key="a" is pressed by that key in the
// item that has the focus; u takes the last decision back. When an item goes, the next has the focus.
(() => {
  const queue = document.querySelector("[data-queue]");
  const items = () => [...queue.querySelectorAll(":scope > [data-item]")];
  let place = 0;

  const focus = (index) => {
    const all = items();
    if (!all.length) return;
    place = Math.max(0, Math.min(index, all.length - 1));
    all[place].focus({ preventScroll: true });
    all[place].scrollIntoView({ block: "nearest" });
  };

  queue.addEventListener("focusin", ({ target }) => {
    const index = items().indexOf(target.closest("[data-item]"));
    if (index >= 0) place = index;
  });

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select, [contenteditable]")) return;
    const within = queue.contains(document.activeElement);
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const undo = event.key === "u" && [...document.querySelectorAll("#toasts [hx-post]")].at(-1);
    const button = items()[place]?.querySelector(`[data-item-key="${CSS.escape(event.key)}"]`);
    if (!step && !undo && !button) return;
    event.preventDefault();
    if (step) focus(within ? place + step : place);
    else (undo || button).click();
  });

  new MutationObserver(() => {
    if (document.activeElement === document.body || !document.activeElement) focus(place);
  }).observe(queue, { childList: true });
  focus(0);
})();
