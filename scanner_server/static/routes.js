// Which page an address shows.
const ROUTES = {"/": homePage, "/topic": topicPageOf, "/change": changePage};

document.documentElement.dataset.theme = savedTheme();
addNavigation();
during(async () => {
  const path = location.pathname;
  if (path !== "/") readHealth().catch(showError);
  page.replaceChildren();
  await (ROUTES[path] || (() => listPage(path)))();
});
