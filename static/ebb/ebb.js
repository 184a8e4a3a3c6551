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
    const sheet = document.getElementById(near(event.target, "[data-shows]")?.dataset.shows);
    if (sheet && !sheet.checkVisibility()) sheet.showPopover();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target) || near(event.target, ".menu-item")) menu.open = false;
    }
  });

  // Without a secure context there is no clipboard: what is to be copied is selected instead.
  const copy = (button) => {
    const code = button.parentElement.querySelector("code");
    if (!navigator.clipboard) return getSelection().selectAllChildren(code);
    navigator.clipboard.writeText(code.textContent).then(() => {
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1500);
    });
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

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return; // Enter and Escape belong to the input method
    const target = event.target;
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
    const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!wanted?.checkVisibility()) return;
    event.preventDefault();
    if (wanted.matches("input, textarea")) wanted.focus();
    else wanted.click();
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
    let atEnd = true;
    const toEnd = () => { if (atEnd) area.scrollTop = area.scrollHeight; };
    area.addEventListener("scroll", () => {
      atEnd = area.scrollHeight - area.scrollTop - area.clientHeight < 60;
    }, { passive: true });
    new MutationObserver(toEnd).observe(area, { childList: true, subtree: true, characterData: true });
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
      [".prose pre", (code) => {
        reach(code);
        const frame = document.getElementById("copy-code")?.content.firstElementChild.cloneNode(true);
        if (!frame) return;
        code.before(frame);
        frame.prepend(code);
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
    const beside = row?.nextElementSibling || row?.previousElementSibling;
    const above = near(document.activeElement, ".more")?.previousElementSibling;
    neighbour = () => (row && document.getElementById(row.id)) || beside || above?.nextElementSibling;
  });

  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.successful) return;
    if (document.activeElement === document.body) neighbour()?.querySelector("a:not(.chip)")?.focus({ preventScroll: true });
    neighbour = () => null;
    detail.elt.closest(".toast")?.remove(); // undone; not sooner, htmx needs it for out-of-band swaps
    if (detail.xhr.getResponseHeader("HX-Reswap") === "none") return; // refused, in a sentence
    const back = detail.requestConfig.elt.closest("[data-returns-to]"); // may be replaced by now
    if (back) document.getElementById(back.dataset.returnsTo)?.focus();
    if (!detail.elt.matches("form[data-clear-when-sent]")) return;
    for (const field of detail.elt.querySelectorAll("textarea")) field.value = "";
  });

  // No answer, or an answer without a page: say so, in words that base.html holds translated.
  for (const [name, id] of [["htmx:sendError", "toast-no-answer"], ["htmx:responseError", "toast-refused"]]) {
    document.addEventListener(name, () => {
      const toast = document.getElementById(id).content.firstElementChild.cloneNode(true);
      document.getElementById("toasts").append(toast);
      prepare(toast);
    });
  }
})();
