
(() => {
  "use strict";
  const page = document, all = (what, where = page) => [...where.querySelectorAll(what)];
  const bar = page.getElementById("filter");

  // What is folded is opened for a printer, and folded again; long lists of names stay as they are.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open], .names)");
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => { folded.forEach((each) => { each.open = false; }); });

  // A link into something that is folded opens it.
  const reveal = () => {
    const target = location.hash && page.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    all("details", target.nextElementSibling?.tagName === "DD" ? target.nextElementSibling : page.createElement("i")).forEach((each) => { each.open = true; });
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  if (!bar) return;

  const words = page.getElementById("words"), node = page.getElementById("node"), least = page.getElementById("least");
  const shown = page.getElementById("shown");
  const rows = all("tr[data-m]"), cards = all(".f"), tables = all("table.matrix"), groups = all("details.group, details.node");
  const text = new Map([...rows, ...cards].map((each) => [each, each.textContent.toLowerCase()]));

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
    names ??= all("[data-names]").map((each) => [each.dataset.names, each.textContent.split(", ").flatMap(spelled)]);
    return new Set(names.filter(([, list]) => list.some((name) => name.toLowerCase().includes(asked))).map(([letter]) => letter));
  };

  const filter = () => {
    const asked = words.value.trim().toLowerCase(), place = node.value.trim().toLowerCase();
    const classes = place ? classesWith(place) : null;
    const isHere = (each) => (each.dataset.c ?? "").split(" ").some((letter) => classes.has(letter));
    const fits = (each) => (least.value === "all" || (least.value === "bad" ? each.dataset.m === "x" : "x?!+".includes(each.dataset.m) && each.dataset.m))
      && (!asked || text.get(each).includes(asked));
    rows.forEach((each) => { each.hidden = !fits(each); });
    cards.forEach((each) => { each.hidden = !(fits(each) && (!place || isHere(each) || text.get(each).includes(place))); });
    for (const table of tables) {
      const heads = all("thead th", table);
      const hidden = heads.map((head) => Boolean(classes && head.dataset.c !== undefined && !isHere(head)));
      for (const row of table.rows) [...row.cells].forEach((cell, at) => { cell.hidden = hidden[at]; });
    }
    const active = Boolean(asked || place || least.value !== "all");
    for (const group of groups) {
      const inside = all(".f, tr[data-m]", group);
      const some = inside.some((each) => !each.hidden);
      group.hidden = active && inside.length > 0 && !some;
      if (active && some) group.open = true;
    }
    const count = (list) => list.filter((each) => !each.hidden).length;
    const parts = [rows.length ? `${count(rows)} of ${rows.length} rows` : "", cards.length ? `${count(cards)} of ${cards.length} findings` : ""];
    if (classes) parts.push(`node in ${classes.size} ${classes.size === 1 ? "class" : "classes"}`);
    shown.value = active ? parts.filter(Boolean).join(", ") : "";
  };
  [words, node, least].forEach((each) => each.addEventListener("input", filter));
  bar.hidden = false;
  filter();
})();
