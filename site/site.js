// a wide table that scrolls can be reached, and scrolled, with the keyboard
const reach = () => {
  for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap, .coverage")) wrap.tabIndex = 0;
};
reach();
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
