/** The price list that this process prices by: the product's own until the snapshot has read what administrators accepted over it. */
import type { PriceList } from "./listed-models.ts";
import { shippedList } from "./shipped-list.ts";

let inForce: PriceList | undefined;

/** One process serves one database, so there is one. */
export const listInForce = (): PriceList => inForce ?? shippedList();

/** Called with each list that the snapshot loads. */
export const setListInForce = (list: PriceList): void => void (inForce = list);
