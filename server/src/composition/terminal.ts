/** What the program prints for the person who starts it, apart from the log. */

/** One line on standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** One line on standard error. */
export const complain = (line: string): void => void process.stderr.write(`${line}\n`);
