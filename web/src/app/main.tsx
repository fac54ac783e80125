/** Entry point of the console: loads the texts, then renders the page. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../lib/tokens.css";
import "../ui/base.css";
import { createRoot } from "react-dom/client";
import { startLanguages } from "../lib/i18n.ts";
import { Providers } from "./providers.tsx";

const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no #root");
await startLanguages();
createRoot(place).render(<Providers />);
