// Which page an address shows.
const ROUTES = {"/": homePage, "/topic": topicPageOf, "/change": changePage, "/owner": ownerPageOf};

document.documentElement.dataset.theme = savedTheme();
addNavigation();
during(async () => {
  const path = location.pathname;
  if (path !== "/") readHealth().catch((error) => showError(error));
  page.replaceChildren();
  if (path.startsWith("/n/")) {
    const {node} = await ask(`/links/${encodeURIComponent(path.slice(3))}`);
    location.replace(flowPage(node));
    return;
  }
  const show = ROUTES[path] || (() => (LISTS[path] ? listPage(path) : unknownPage(path)));
  await show();
});
