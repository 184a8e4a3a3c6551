// What the browser has to do itself; everything else is HTML, CSS and htmx. Behaviour is asked for
// by data attributes (docs/look.md), so that no page needs a script of its own.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const store = {
    get: () => { try { return localStorage.getItem("ebb-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("ebb-theme", value); } catch { /* private window */ } },
  };
  const showTheme = () => { root.dataset.theme = store.get() || (dark.matches ? "dark" : "light"); };
  showTheme(); // before the first paint: this file is loaded without defer
  // Times on pages are the reader's (config/middleware/time_zones.py).
  document.cookie = `ebb_time_zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax`;
  dark.addEventListener("change", showTheme);

  const near = (element, selector) => (element instanceof Element ? element.closest(selector) : null);

  // htmx takes up the page when it has come whole. What is pressed sooner waits for it: the browser
  // alone would leave the page with a form, and do nothing with a button.
  const early = new Map();
  const hold = (event) => {
    const pressed = event.type === "submit" ? event.target : near(event.target, "[hx-get], [hx-post]");
    if (!pressed || (event.type === "click" && pressed.matches("form, [type=submit]"))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    early.set(pressed, () => (event.type === "submit" ? pressed.requestSubmit(event.submitter) : pressed.click()));
  };
  for (const name of ["submit", "click"]) addEventListener(name, hold, true);
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => {
    for (const name of ["submit", "click"]) removeEventListener(name, hold, true);
    for (const press of early.values()) press();
  }));

  document.addEventListener("click", (event) => {
    if (near(event.target, "[data-theme-toggle]")) {
      store.set(root.dataset.theme === "dark" ? "light" : "dark");
      showTheme();
    }
    near(event.target, "[data-dismiss]")?.closest(".toast")?.remove();
    const opener = near(event.target, "[data-opens]");
    if (opener) document.getElementById(opener.dataset.opens).showModal();
    const copier = near(event.target, "[data-copies]");
    if (copier) copy(copier);
    const says = near(event.target, "[data-says]");
    if (says) say(says.dataset.says);
    const end = document.getElementById(near(event.target, "[data-jumps-to]")?.dataset.jumpsTo);
    if (end) end.scrollTop = end.scrollHeight;
    const sheet = document.getElementById(near(event.target, "[data-shows]")?.dataset.shows);
    if (sheet && !sheet.checkVisibility()) sheet.showPopover();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target) || near(event.target, ".menu-item")) menu.open = false;
    }
  });

  // Without a secure context there is no clipboard: what is to be copied is selected instead.
  const copy = (button) => {
    const name = button.dataset.copies;
    const source = name && button.parentElement.querySelector(`.${name}`);
    const code = source ? button.closest(".message").querySelector(".prose") : button.parentElement.querySelector("code");
    if (!navigator.clipboard) return getSelection().selectAllChildren(code);
    navigator.clipboard.writeText((source?.content || code).textContent).then(() => {
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1500);
    });
  };

  // A message that is suggested is sent as if it had been typed.
  const say = (text) => {
    const field = document.querySelector("[data-enter-sends]");
    field.value = text;
    field.form.requestSubmit();
    field.focus();
  };

  // Cards that are gone through by keys: j and k move, the key of a button presses it in the card
  // that has the focus. Gives back whether the key was one of these.
  const inCards = (key, target) => {
    const cards = [...document.querySelectorAll("[data-cards] [data-card]")].filter((card) => card.checkVisibility());
    const place = cards.indexOf(near(target, "[data-card]"));
    const step = { j: 1, k: -1 }[key];
    if (step) {
      cards[place + step]?.focus();
      return cards.length > 0;
    }
    const button = cards[place]?.querySelector(`[data-card-key="${CSS.escape(key)}"]`);
    button?.click();
    return Boolean(button);
  };

  const escape = (target) => {
    if (document.querySelector("dialog[open], :popover-open")) return; // the browser closes them
    const cancel = near(target, "form")?.querySelector("[data-cancel]");
    if (cancel) return cancel.click();
    const menu = near(target, "details.menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
      return;
    }
    const stop = document.querySelector("[data-stop]");
    if (stop?.checkVisibility()) stop.click();
    else if (target.matches("input, textarea")) target.blur();
  };

  // The palette: the focus stays in its field, and the arrows choose among the results.
  const choose = (palette, event) => {
    const entries = [...palette.querySelectorAll("a[role=option]")];
    const at = entries.findIndex((entry) => entry.ariaSelected === "true");
    if (!entries.length) return;
    event.preventDefault();
    if (event.key === "Enter") return entries[Math.max(at, 0)].click();
    const next = entries.at((at + (event.key === "ArrowDown" ? 1 : -1)) % entries.length);
    for (const entry of entries) entry.ariaSelected = String(entry === next);
    event.target.setAttribute("aria-activedescendant", next.id);
    next.scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter and Escape belong to the input method
    const target = event.target;
    const palette = document.getElementById("palette");
    if (palette && (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (!palette.open) palette.showModal();
      return;
    }
    if (target.id === "palette-query" && ["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return choose(palette, event);
    if (event.key === "Escape") return escape(target);
    if (event.key === "Enter" && !event.shiftKey && target.matches("[data-enter-sends]")) {
      event.preventDefault();
      if (target.value.trim()) target.form.requestSubmit();
      return;
    }
    if (event.key === "ArrowUp" && target.matches("[data-edits-last]") && !target.value) {
      const last = [...document.querySelectorAll("[data-edit]")].filter((edit) => edit.checkVisibility({ visibilityProperty: true })).at(-1);
      if (last) {
        event.preventDefault();
        last.click();
      }
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, textarea, select, [contenteditable]")) return;
    if (inCards(event.key, target)) return event.preventDefault();
    // Of several, as one in each reply, the last.
    const keyed = [...document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)];
    const wanted = keyed.filter((element) => element.checkVisibility({ visibilityProperty: true })).at(-1);
    if (!wanted) return;
    event.preventDefault();
    if (wanted.matches("input, textarea")) wanted.focus();
    else wanted.click();
  });

  // A file that is dropped here goes into the file field of a dialog, which opens.
  const drops = (event) => {
    const area = near(event.target, "[data-drops]");
    if (!area || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    area.classList.toggle("dropping", event.type === "dragover");
    if (event.type !== "drop") return;
    const dialog = document.getElementById(area.dataset.drops);
    dialog.querySelector("input[type=file]").files = event.dataTransfer.files;
    if (!dialog.open) dialog.showModal();
  };
  for (const name of ["dragover", "drop"]) document.addEventListener(name, drops);
  document.addEventListener("dragleave", (event) => {
    const area = near(event.target, "[data-drops]");
    if (area && !area.contains(event.relatedTarget)) area.classList.remove("dropping");
  });

  // A slider says its number while it is moved.
  document.addEventListener("input", ({ target }) => {
    const said = document.getElementById(target.dataset?.shownBy);
    if (said) said.textContent = target.value;
  });

  // What stands for the same thing in several places shows itself everywhere.
  for (const name of ["pointerover", "focusin"]) {
    document.addEventListener(name, ({ target }) => {
      const same = near(target, "[data-same]")?.dataset.same;
      for (const one of document.querySelectorAll("[data-same]")) one.classList.toggle("pointed", one.dataset.same === same);
    });
  }

  // Browsers without field-sizing: grow the composer with what is typed.
  if (!CSS.supports("field-sizing", "content")) {
    document.addEventListener("input", ({ target }) => {
      if (!target.matches("[data-enter-sends]")) return;
      target.style.height = "auto";
      target.style.height = `${target.scrollHeight}px`;
    });
  }

  // Rows that are ticked: one box ticks all that are shown, and a number says how many are.
  document.addEventListener("change", ({ target }) => {
    const form = near(target, "form[data-ticks]");
    if (!form) return;
    const boxes = [...form.querySelectorAll(`input[name="${form.dataset.ticks}"]`)];
    const all = form.querySelector("[data-ticks-all]");
    if (target === all) for (const box of boxes) box.checked = all.checked;
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && !all.checked;
    form.querySelector("[data-ticks-count]").textContent = ticked;
  });

  // Toasts leave by themselves, but not while somebody points at them or is about to press undo.
  const leave = (toast) => {
    if (toast.matches(":hover, :focus-within")) setTimeout(leave, 2000, toast);
    else toast.remove();
  };

  // A scroll area that follows its newest line, unless the reader has scrolled up.
  const follow = (area) => {
    const jump = document.querySelector(`[data-jumps-to="${area.id}"]`);
    let atEnd = true;
    let top = 0;
    const toEnd = () => { if (atEnd && !area.querySelector(".welcome")) area.scrollTop = area.scrollHeight; };
    area.addEventListener("scroll", () => {
      const isThere = area.scrollHeight - area.scrollTop - area.clientHeight < 60;
      // Only moving up leaves the end: a new size of the window does not.
      if (isThere || area.scrollTop < top) atEnd = isThere;
      top = area.scrollTop;
      if (jump) jump.hidden = atEnd || Boolean(area.querySelector(".welcome"));
    }, { passive: true });
    // Once a frame: each look at the height lays out the page.
    let due = 0;
    const soon = () => { due ||= requestAnimationFrame(() => { due = 0; toEnd(); }); };
    new MutationObserver(soon).observe(area, { childList: true, subtree: true, characterData: true });
    document.addEventListener("submit", ({ target }) => {
      // Whoever sends a message wants to see it.
      if (target.getAttribute("hx-target") === `#${area.id}`) atEnd = true;
    });
    new ResizeObserver(toEnd).observe(area); // a keyboard opens, what is typed grows, a phone is turned
    toEnd();
  };

  // What can be scrolled is reached by keyboard, too.
  const reach = (wide) => {
    const look = () => { if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0; };
    look();
    new ResizeObserver(look).observe(wide);
  };

  const prepare = (part) => {
    for (const [selector, start] of [
      ["[data-leaves-after]", (toast) => setTimeout(leave, toast.dataset.leavesAfter * 1000, toast)],
      ["[data-follow]", follow],
      [".prose pre", reach],
      [".prose .code", (code) => {
        const button = document.getElementById("copy-code");
        if (button) code.append(button.content.cloneNode(true));
      }],
      [".prose table, [data-wide]", reach],
    ]) {
      for (const element of [part, ...part.querySelectorAll(selector)]) {
        if (!element.matches?.(selector) || element.dataset.ready) continue;
        element.dataset.ready = "yes";
        start(element);
      }
    }
  };
  document.addEventListener("DOMContentLoaded", () => prepare(document));
  document.addEventListener("htmx:load", ({ detail: { elt } }) => {
    prepare(elt);
    if (elt === document.body) return;
    // What came with the focus has had it: a sheet that opens later would give it there again.
    for (const once of [elt, ...elt.querySelectorAll("[autofocus]")]) once.removeAttribute("autofocus");
  });

  // A button that a card has no more leaves the focus to the card; a card that goes out of a list to
  // what came after it, or before; "show more" to the first that it brings.
  let neighbour = () => null;
  document.addEventListener("htmx:beforeSwap", () => {
    const row = near(document.activeElement, ".memories > .memory");
    const rows = [...(row?.parentElement.querySelectorAll(":scope > .memory") || [])];
    const place = rows.indexOf(row);
    const beside = rows[place + 1] || rows[place - 1];
    const above = near(document.activeElement, ".more")?.previousElementSibling;
    neighbour = () => (row && document.getElementById(row.id)) || beside || above?.nextElementSibling;
  });

  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.successful) return;
    for (const error of document.querySelectorAll(".rule > .error")) {
      error.parentElement.querySelector("input, select")?.setAttribute("aria-invalid", String(!error.hidden));
    }
    if (document.activeElement === document.body) neighbour()?.querySelector("a:not(.chip)")?.focus({ preventScroll: true });
    neighbour = () => null;
    detail.elt.closest(".toast")?.remove(); // undone; not sooner, htmx needs it for out-of-band swaps
    if (detail.xhr.getResponseHeader("HX-Reswap") === "none") return; // refused, in a sentence
    const back = detail.requestConfig.elt.closest("[data-returns-to]"); // may be replaced by now
    if (back) document.getElementById(back.dataset.returnsTo)?.focus();
    if (!detail.elt.matches("form[data-clear-when-sent]")) return;
    for (const field of detail.elt.querySelectorAll("textarea")) field.value = "";
  });

  // No answer, or an answer without a page: say so, in words that base.html holds translated. Once:
  // parts of a page that ask again and again would fill it with the same words.
  for (const [name, other] of [["htmx:sendError", "toast-no-answer"], ["htmx:responseError", "toast-refused"]]) {
    document.addEventListener(name, ({ detail: { xhr } }) => {
      const id = xhr.status === 401 ? "toast-logged-out" : other;
      const toast = document.getElementById(id).content.firstElementChild.cloneNode(true);
      document.querySelector(`[data-says-again="${id}"]`)?.remove();
      toast.dataset.saysAgain = id;
      document.getElementById("toasts").append(toast);
      prepare(toast);
    });
  }
})();
