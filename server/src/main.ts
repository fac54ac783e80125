/** Entry point: refuses an old Node, reads the configuration, starts one process or several, and ends them cleanly. */

const NEEDED_MAJOR = 26;

if (Number(process.versions.node.split(".")[0]) < NEEDED_MAJOR) {
  process.stderr.write(
    `Turnpike needs Node ${NEEDED_MAJOR} or newer; this is ${process.version}. \`npm start\` brings its own.\n`,
  );
  process.exit(1);
}

// Loaded only now: an older Node would stop at the first import it does not know, with many lines.
const { limitStartupMemory } = await import("./composition/memory.ts");
limitStartupMemory();
const { run } = await import("./composition/run.ts");
await run();
