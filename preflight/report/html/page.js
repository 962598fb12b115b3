
(() => {
  "use strict";
  const page = document, all = (what, where = page) => [...where.querySelectorAll(what)];
  const bar = page.getElementById("filter");

  // What is folded is opened for a printer, and folded again; long lists of names stay as they are.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open], .names)");
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => { folded.forEach((details) => { details.open = false; }); });

  // A link into something that is folded opens it.
  const reveal = () => {
    const target = location.hash && page.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let element = target; element; element = element.parentElement) if (element.tagName === "DETAILS") element.open = true;
    all("details", target.nextElementSibling?.tagName === "DD" ? target.nextElementSibling : page.createElement("i")).forEach((details) => { details.open = true; });
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  // Next to each command is a button that copies it. Where a browser has no clipboard for this page, the command is selected and copied.
  const said = page.createElement("output");
  said.className = "v";
  page.getElementById("content").append(said);
  const copyText = async (element) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(element.textContent);
    getSelection().selectAllChildren(element);
    if (!page.execCommand("copy")) throw new Error("no clipboard");
    return getSelection().removeAllRanges();
  };
  all(".copy").forEach((element) => {
    const button = page.createElement("button"), what = page.createElement("span");
    button.type = "button";
    button.className = "copier";
    what.className = "v";
    what.textContent = `: ${element.textContent}`;
    button.append("Copy", what);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      copyText(element).then(() => "Copied", () => "Not copied").then((done) => {
        button.firstChild.data = done;
        said.value = done;
        setTimeout(() => { button.firstChild.data = "Copy"; said.value = ""; }, 2000);
      });
    });
    element.after(button);
  });
  if (!bar) return;

  const words = page.getElementById("words"), node = page.getElementById("node"), least = page.getElementById("least");
  const shown = page.getElementById("shown");
  const rows = all("tr[data-m]"), cards = all(".f"), tables = all("table.matrix"), groups = all("details.group, details.node");
  const text = new Map([...rows, ...cards].map((element) => [element, element.textContent.toLowerCase()]));

  // `a-[1-3,7].x` is a-1.x, a-2.x, a-3.x and a-7.x: the names are in the page once, and written out when a node is looked for.
  let names = null;
  const spelled = (item) => {
    const found = /^([^[]*)\[([\d,-]+)\](.*)$/s.exec(item);
    if (!found) return [item];
    return found[2].split(",").flatMap((run) => {
      const [first, last = first] = run.split("-");
      return Array.from({ length: last - first + 1 }, (_, at) => found[1] + String(Number(first) + at).padStart(first.length, "0") + found[3]);
    });
  };
  const classesWith = (asked) => {
    names ??= all("[data-names]").map((element) => [element.dataset.names, element.textContent.split(", ").flatMap(spelled)]);
    return new Set(names.filter(([, list]) => list.some((name) => name.toLowerCase().includes(asked))).map(([letter]) => letter));
  };

  // What the filter opens is folded again with the next filter.
  const unfolded = new Set();
  const filter = () => {
    const asked = words.value.trim().toLowerCase(), place = node.value.trim().toLowerCase();
    const classes = place ? classesWith(place) : null;
    const isHere = (element) => (element.dataset.c ?? "").split(" ").some((letter) => classes.has(letter));
    const fits = (element) => (least.value === "all" || (least.value === "bad" ? element.dataset.m === "x" : "x?!+".includes(element.dataset.m) && element.dataset.m))
      && (!asked || text.get(element).includes(asked));
    rows.forEach((row) => { row.hidden = !fits(row); });
    cards.forEach((card) => { card.hidden = !(fits(card) && (!place || isHere(card) || text.get(card).includes(place))); });
    for (const table of tables) {
      const heads = all("thead th", table);
      const hidden = heads.map((head) => Boolean(classes && head.dataset.c !== undefined && !isHere(head)));
      for (const row of table.rows) [...row.cells].forEach((cell, at) => { cell.hidden = hidden[at]; });
    }
    unfolded.forEach((group) => { group.open = false; });
    unfolded.clear();
    const active = Boolean(asked || place || least.value !== "all");
    for (const group of groups) {
      const inside = all(".f, tr[data-m]", group);
      const some = inside.some((element) => !element.hidden);
      group.hidden = active && inside.length > 0 && !some;
      if (active && some && !group.open) {
        group.open = true;
        unfolded.add(group);
      }
    }
    const sum = (list) => list.reduce((total, card) => total + Number(card.dataset.n), 0);
    const count = (list) => list.filter((element) => !element.hidden).length;
    const parts = [rows.length ? `${count(rows)} of ${rows.length} rows` : "", cards.length ? `${sum(cards.filter((card) => !card.hidden))} of ${sum(cards)} findings` : ""];
    if (classes) parts.push(`node in ${classes.size} ${classes.size === 1 ? "class" : "classes"}`);
    shown.value = active ? parts.filter(Boolean).join(", ") : "";
  };
  [words, node, least].forEach((input) => input.addEventListener("input", filter));
  bar.hidden = false;
  filter();
})();
