#!/usr/bin/env node
/** `turnpike <command>`: installs what is missing, then runs the command line on the pinned Node; `serve` runs what `npm start` does. */
import { prepare } from "../tools/setup/prepare.mjs";
import { runOnPinnedNode } from "../tools/setup/runtime.mjs";

const words = process.argv.slice(2);
const isServer = words[0] === "serve";
prepare({ web: isServer, server: isServer, withDevelopment: false, stream: process.stderr });
const program = isServer ? "server/dist/command-line.mjs" : "server/src/command-line/main.ts";
process.exitCode = await runOnPinnedNode(program, words);
