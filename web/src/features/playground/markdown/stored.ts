/** Whether a text was there before its thread was drawn: such a thread appears once all that draws it is loaded, so that nothing moves. */
import { createContext } from "react";

export const Stored = createContext(false);
