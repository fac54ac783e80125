/** The Chinese texts that every page shows, in one module: a page loads one script for them instead of three. */
import errors from "../zh/errors.json";
import shell from "../zh/shell.json";
import ui from "../zh/ui.json";

export const texts = { errors, shell, ui };
