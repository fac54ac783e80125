/** For whom a call is counted, charged and logged. */
import type { SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";

export interface Payer {
  readonly user: SnapshotUser;
  /** Of the playground a token that is none, with the id 0. */
  readonly token: SnapshotToken;
  /** Address of the client. */
  readonly address: string;
}
