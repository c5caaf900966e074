// What a checker of accessibility looks at; returns sentences of what is wrong.
(() => {
  const wrong = [];
  const label = (element) => element.outerHTML.slice(0, 90);
  const named = (element) =>
    (element.getAttribute("aria-label") || element.getAttribute("aria-labelledby") ||
      element.textContent.trim() || (element.labels && element.labels.length));
  for (const element of document.querySelectorAll("a, button, input, summary, [role=group], nav, [role=img]"))
    if (!named(element)) wrong.push(`no name: ${label(element)}`);
  for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby]"))
    for (const id of (element.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean))
      if (!document.getElementById(id)) wrong.push(`names nothing: ${label(element)}`);
  const ids = Array.from(document.querySelectorAll("[id]"), (element) => element.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id comes twice");
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) wrong.push(`a level is left out: ${label(heading)}`);
    level = own;
  }
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  for (const landmark of ["header", "nav", "main", "footer"])
    if (document.querySelectorAll(`body ${landmark}`).length !== 1) wrong.push(`not one ${landmark}`);
  const places = Array.from(document.querySelectorAll("section, nav, [role=region]"), (element) =>
    (element.getAttribute("aria-label") || document.getElementById(element.getAttribute("aria-labelledby")).textContent));
  if (new Set(places).size !== places.length) wrong.push(`landmarks of one name: ${places}`);
  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title) wrong.push("no title");
  if (!document.querySelector("[role=status][aria-live=polite]")) wrong.push("no live region");
  for (const element of document.querySelectorAll("[tabindex]"))
    if (element.tabIndex > 0) wrong.push(`order of focus: ${label(element)}`);
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption || !table.caption.textContent) wrong.push(`no caption: ${label(table)}`);
    for (const head of table.querySelectorAll("th")) if (!head.scope) wrong.push(`no scope: ${label(head)}`);
  }
  for (const svg of document.querySelectorAll("svg"))
    if (!svg.querySelector("title").textContent || !svg.querySelector("desc").textContent)
      wrong.push(`no description: ${label(svg)}`);

  // Contrast of every text that is seen, by WCAG 2's formula; 4.5 is AA.
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const contrasts = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, title, desc")) continue;
    const style = getComputedStyle(element);
    const color = numbers(element.closest("svg") ? style.fill : style.color);
    const [a, b] = [luminance(color), luminance(ground(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(2)}: ${label(element)}`);
    contrasts.set(element.tagName, contrast);
  }
  if (contrasts.size < 5) wrong.push("no text was looked at");
  return wrong;
})()
