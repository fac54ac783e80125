/** Makes the page of a route from the export of a file that loads when the route is opened. */
import { lazyRouteComponent } from "@tanstack/react-router";
import { importPart } from "./feedback/missing-part.ts";

/**
 * @param load imports the file; where that fails, the page offers to load the site again
 * @param name of the file's export that is the page
 * @example component: lazyPage(() => import("./page.tsx"), "TokensPage")
 */
export const lazyPage = <File extends Record<string, unknown>, Name extends keyof File & string>(
  load: () => Promise<File>,
  name: Name,
) => lazyRouteComponent(importPart(load), name);
