/** How shortcuts are displayed on this machine. */

/** Whether shortcuts are shown with ⌘ instead of Ctrl. */
export const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.platform);
