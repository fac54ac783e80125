/** Detects loops between gateways: each adds its mark to a header, and a call with too many marks is refused. */
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";

const HEADER = "turnpike-hops";
/** Gateways a call may have passed before this one. Ours: a chain of resellers is rarely longer than two. */
const MAX_HOPS = 4;
const MARK = /^[0-9a-z]{1,32}$/;
/** What is read of the header; a longer one has too many marks by itself. */
const MAX_CHARACTERS = 1_024;

/** Marks of the gateways that the call has passed; what is no mark is left out. */
function passedMarks({ request }: Call): string[] {
  const header = request.headers[HEADER];
  if (header === undefined) return [];
  return String(header)
    .slice(0, MAX_CHARACTERS)
    .split(",")
    .map((mark) => mark.trim())
    .filter((mark) => MARK.test(mark));
}

/** Throws RelayError 508 for a call that passed more gateways than a chain has, or this site twice already. */
export function refuseLoops(call: Call): void {
  const marks = passedMarks(call);
  const { siteId } = call.context;
  const isLoop = marks.length > MAX_HOPS || marks.filter((mark) => mark === siteId).length > 1;
  if (isLoop) throw new RelayError("loop_detected");
}

/** Name and value of the header for a call to another gateway: this site's mark behind those that came. */
export const hopsHeader = (call: Call): readonly [name: string, value: string] => [
  HEADER,
  [...passedMarks(call), call.context.siteId].join(", "),
];
