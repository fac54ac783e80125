/** Every page in a narrow window, light and dark, English and Chinese. */
import { LOOKS, PHONE } from "../support/systems/browser.ts";
import { testEveryPage } from "../support/systems/every-page.ts";

testEveryPage(LOOKS.filter(({ size }) => size === PHONE));
