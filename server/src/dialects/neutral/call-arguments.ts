/** Parses the arguments of tool calls as models and servers write them; part of the hub. */

/** Arguments as a JSON object: some servers write nothing or `null` for none. */
export const writtenArguments = (text: string): string => (text === "" || text.trim() === "null" ? "{}" : text);
