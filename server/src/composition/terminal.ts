/** What the program says to whoever started it, apart from the log. */

/** One line on standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One line on standard error. */
export const complain = (line: string): void => void process.stderr.write(`${line}\n`);
