#!/usr/bin/env node
// By the real path: `node --preserve-symlinks-main` names the link in `node_modules/.bin`.
require(require("node:path").join(require("node:fs").realpathSync(__filename), "../../dist/cli.cjs"));
