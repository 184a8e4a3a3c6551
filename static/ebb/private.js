// A private conversation lives in this page: what was said so far is held here, goes along with each
// message, and the answer to that very request is the reply as server-sent events.
(() => {
  const form = document.querySelector("form[data-private]");
  const messages = document.getElementById("messages");
  const stop = form.querySelector("[data-stop]");
  const history = [];
  const REMEMBERED = 40; // the server reads fewer

  async function* eventsOf(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const whole = (rest + value).split("\n\n");
      rest = whole.pop();
      for (const one of whole) {
        const [name, ...data] = one.split("\n");
        yield { name: name.replace("event: ", ""), data: data.map((line) => line.slice("data: ".length)).join("\n") };
      }
    }
  }

  const add = (template, text) => {
    const place = messages.appendChild(document.createElement("div"));
    place.append(document.getElementById(template).content.cloneNode(true));
    place.querySelector(".prose").textContent = text;
    return place;
  };

  const replace = (element, html) => {
    const fresh = document.createRange().createContextualFragment(html);
    htmx.process(fresh.firstElementChild);
    element.replaceChildren(...fresh.childNodes);
    htmx.trigger(element, "htmx:load"); // ebb.js prepares what has come
  };

  const ask = (text, signal) => {
    const body = new FormData(form);
    for (const [name, value] of new FormData(document.getElementById("choices"))) body.set(name, value);
    body.delete("message");
    body.set("said", JSON.stringify({ message: text, private: true, history: history.slice(-REMEMBERED) }));
    return fetch(form.action, { method: "POST", body, signal });
  };

  // Writes the reply into its place; gives back its text, also when it is stopped half way.
  const write = async (text, place, signal) => {
    const written = place.querySelector(".prose");
    let reply = "";
    try {
      const response = await ask(text, signal);
      if (!response.ok) throw new Error(response.statusText);
      for await (const { name, data } of eventsOf(response)) {
        if (name === "recalled") replace(document.getElementById("recalled"), data);
        if (name === "token") reply += data;
        if (name === "text") {
          written.querySelector(".open-block")?.remove();
          written.append(document.createRange().createContextualFragment(data));
        }
        if (name === "done") {
          replace(place, data);
          break; // what is typed next need not wait for the connection's end
        }
      }
    } catch (error) {
      if (error.name !== "AbortError") throw error;
      place.firstElementChild?.classList.add("stopped");
    }
    return reply;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!stop.hidden) return; // one reply at a time; what is typed meanwhile stays
    const text = form.message.value;
    const said = add("private-said", text);
    const place = add("private-reply", "");
    document.getElementById("welcome")?.remove();
    const leaving = new AbortController();
    const send = form.querySelector("[type=submit]");
    stop.onclick = () => leaving.abort();
    stop.hidden = false;
    send.hidden = true;
    form.message.value = "";
    try {
      const reply = await write(text, place, leaving.signal);
      history.push({ role: "user", content: text }, { role: "assistant", content: reply });
    } catch {
      // Nothing came back, or it broke off: the words return to where they were typed.
      said.remove();
      place.remove();
      form.message.value ||= text;
      document.dispatchEvent(new Event("htmx:sendError"));
    }
    place.querySelector(".streaming")?.classList.remove("streaming");
    stop.hidden = true;
    send.hidden = false;
  });

  // A browser may bring a page back as it was left.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
})();
