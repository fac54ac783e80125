/** Tables of prices: what was in force when, and the lists that prices come from. Times are Unix seconds. */
import type { Generated } from "kysely";

/** The price tables in force from a moment on; a charge names the row it was priced by. */
interface PriceVersionTable {
  id: Generated<number>;
  hash: string;
  created_time: number;
  tables: string;
}

/** A price list that came with a version of the product, kept so that the next version can say what changed. */
interface PriceListTable {
  id: Generated<number>;
  hash: string;
  version: string;
  /** One JSON text a line, as in prices/listed-models.jsonl. */
  lines: string;
  created_time: number;
}

/** Lines of a fetched list that an administrator accepted over those of the product's own list. */
interface PriceListChangeTable {
  id: Generated<number>;
  /** The address that the list came from. */
  source: string;
  lines: string;
  created_time: number;
  /** Id of the administrator. */
  created_by: number;
  /** 0 while it is in force. */
  undone_time: Generated<number>;
  /** Id of the administrator; 0 while it is in force, and where nobody noted it. */
  undone_by: Generated<number>;
}

export interface PriceTables {
  price_versions: PriceVersionTable;
  price_lists: PriceListTable;
  price_list_changes: PriceListChangeTable;
}
