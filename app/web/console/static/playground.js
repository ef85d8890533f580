/* Shows an answer while it is written; then the page as the server draws it takes its place. */
"use strict";

(() => {
  const NAMES = { draft: "Draft", live: "Published" };
  const STAGES = { searching: "Searching …", writing: "Writing …" };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.closest("#talk")) return;
    event.preventDefault();
    if (form.dataset.isAsked) return;
    form.dataset.isAsked = "yes";
    const button = form.querySelector("[data-ask]");
    button.setAttribute("aria-disabled", "true");
    const shown = [];
    try {
      await ask(form, shown);
    } catch {
      refuse(form, shown, "The connection was lost. Ask again.");
    }
  });

  async function ask(form, shown) {
    const asked = new FormData(form);
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: new URLSearchParams(asked),
    });
    if (answer.redirected) return location.assign(answer.url); // signed out meanwhile
    if (!answer.headers.get("content-type").startsWith("text/event-stream")) return draw(await answer.text(), form, shown, asked);
    shown.push(bubble("mine", "You", form.elements.question.value));
    const texts = {};
    let page = null;
    for await (const [name, told] of eventsOf(answer.body)) {
      if (name === "page") page = told.html;
      else {
        if (!texts[told.version]) {
          const item = bubble("theirs", NAMES[told.version] ?? told.version, "");
          shown.push(item);
          texts[told.version] = { place: item.querySelector(".said"), text: "" };
        }
        const mine = texts[told.version];
        mine.text += told.token ?? "";
        mine.place.textContent = mine.text || STAGES[told.stage];
      }
    }
    if (page === null) throw new Error("cut");
    draw(page, form, shown, asked);
  }

  async function* eventsOf(body) {
    let rest = "";
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const blocks = (rest + piece.value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (name) yield [name, JSON.parse(data)];
      }
    }
  }

  function bubble(kind, who, text) {
    const item = document.createElement("li");
    item.className = `bubble ${kind}`;
    const name = document.createElement("p");
    name.className = "who-said";
    name.textContent = who;
    const said = document.createElement("p");
    said.className = "said";
    said.dir = "auto";
    said.textContent = text;
    item.append(name, said);
    document.getElementById("nothing-said")?.remove();
    document.getElementById("said").append(item);
    return item;
  }

  function draw(html, form, shown, asked) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const talk = page.getElementById("talk");
    if (!talk) return refuse(form, shown, page.querySelector("main")?.textContent.trim() || "Your question could not be sent. Reload the page and try again.");
    const opened = form.querySelector("details")?.open;
    const isRight = !talk.querySelector(".wrong, [role=alert]");
    if (form.closest("[data-panel]")) return drawInPanel(talk, form, shown, isRight);
    document.getElementById("talk").replaceWith(talk);
    document.querySelector(".head").replaceWith(page.querySelector(".head"));
    if (opened) talk.querySelector("form details").open = true;
    const fields = talk.querySelector("form").elements;
    for (const [name, value] of new FormData(form)) {
      if (value !== asked.get(name) && name in fields) fields[name].value = value; // written while the answer came
    }
    for (const hint of talk.querySelectorAll("[data-enter-hint]")) hint.hidden = false;
    const wrong = talk.querySelector("[aria-invalid]");
    (wrong ?? fields.question).focus();
    if (isRight && location.hash.startsWith("#made-")) location.hash = `#${talk.querySelector(".made:last-child").id}`;
  }

  /* Beside settings stands the conversation alone. */
  function drawInPanel(talk, form, shown, isRight) {
    if (!isRight) return refuse(form, shown, talk.querySelector(".wrong, [role=alert]").textContent.trim());
    const said = talk.querySelector("#said");
    for (const link of said.querySelectorAll("[href^='#made-']")) link.closest("p").remove();
    document.getElementById("said").replaceWith(said);
    form.elements.said.value = talk.querySelector("form").elements.said.value;
    form.elements.question.value = "";
    form.querySelector("[role=alert]")?.remove();
    delete form.dataset.isAsked;
    form.querySelector("[data-ask]").removeAttribute("aria-disabled");
    form.elements.question.focus();
  }

  /* What was asked stays, to be asked again. */
  function refuse(form, shown, words) {
    for (const item of shown) item.remove();
    delete form.dataset.isAsked;
    form.querySelector("[data-ask]").removeAttribute("aria-disabled");
    form.querySelector("[role=alert]")?.remove();
    const notice = document.createElement("p");
    notice.className = "notice bad";
    notice.role = "alert";
    notice.textContent = words;
    form.prepend(notice);
  }
})();
