// Package web is the source of web_search: a search provider over HTTP, and
// reading the pages that it finds. The worker assembles it; the model sees one
// function with the actions search, open_page and find_in_page.
package web
