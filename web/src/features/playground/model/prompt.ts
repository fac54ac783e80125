/** What a new conversation tells its model: a prompt for models, the same in every language of the console. */

export const DEFAULT_SYSTEM = "You are a helpful assistant. Answer clearly, and say so where you are not sure.";
