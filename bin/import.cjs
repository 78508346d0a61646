"use strict";
// The bundled program is compiled without a loader of its own, so that its import() knows only its own parts.
module.exports = (url) => import(url);
