/** The English texts that every page shows, in one module: a page loads one script for them instead of three. */
import errors from "../en/errors.json";
import shell from "../en/shell.json";
import ui from "../en/ui.json";

export const texts = { errors, shell, ui };
