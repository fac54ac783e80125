/** Which database errors are the data's own fault: trying again cannot help, and one such row must not keep others out. */

/** Low byte of SQLite's result codes: TOOBIG, CONSTRAINT, MISMATCH, RANGE (https://sqlite.org/rescode.html). */
const SQLITE_DATA_ERRORS: ReadonlySet<number> = new Set([18, 19, 20, 25]);

/** MySQL: bad null, message too large, out of range, wrong value, too long, bad JSON, check failed. */
const MYSQL_DATA_ERRORS: ReadonlySet<number> = new Set([1048, 1153, 1264, 1292, 1366, 1406, 3819, 4025]);

/** PostgreSQL appendix A: data exceptions and integrity violations. */
const POSTGRES_DATA_ERROR = /^2[23][0-9A-Z]{3}$/;

/** Low byte of SQLite's result codes: IOERR, FULL. */
const SQLITE_DISK_ERRORS: ReadonlySet<number> = new Set([10, 13]);

/** MySQL: disk full, error on write, got an error from the storage engine, the table is full. */
const MYSQL_DISK_ERRORS: ReadonlySet<number> = new Set([1021, 1026, 1030, 1114]);

/** PostgreSQL appendix A: disk_full, io_error. */
const POSTGRES_DISK_ERROR = /^(53100|58030)$/;

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** True for values that do not fit their columns or cannot be bound; false for everything that may pass. */
export function isDataError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError || error instanceof RangeError || /^(Type|Range)Error$/.test(error.name)) return true;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if ("errcode" in error) return SQLITE_DATA_ERRORS.has(numberOf(error.errcode) & 0xff);
  if ("errno" in error) return MYSQL_DATA_ERRORS.has(numberOf(error.errno));
  return POSTGRES_DATA_ERROR.test(code);
}

/** True where the database's disk is full or fails: what is tried at once again fails at once again. */
export function isDiskError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error) return SQLITE_DISK_ERRORS.has(numberOf(error.errcode) & 0xff);
  if ("errno" in error) return MYSQL_DISK_ERRORS.has(numberOf(error.errno));
  return "code" in error && typeof error.code === "string" && POSTGRES_DISK_ERROR.test(error.code);
}
