/** Every form in which ClickHouse's users write an address leads to the same parts. */
import { expect, test } from "vitest";
import { isClickhouseUrl, parseClickhouseUrl } from "./address.ts";

test.each([
  ["clickhouse://host", "http://host:8123", "default", "", "default"],
  ["clickhouse://host/logs?secure=true", "https://host:8443", "default", "", "logs"],
  ["clickhouse://anna:p%40%2Fss@host:9999/logs", "http://host:9999", "anna", "p@/ss", "logs"],
  ["http://anna:secret@host:8123/logs", "http://host:8123", "anna", "secret", "logs"],
  ["https://anna:secret@host:8443/?database=logs", "https://host:8443", "anna", "secret", "logs"],
  ["https://proxy.example/logs", "https://proxy.example", "default", "", "logs"],
  ["clickhouse://[::1]:8123/logs", "http://[::1]:8123", "default", "", "logs"],
])("%s", (url, origin, user, password, database) => {
  expect(isClickhouseUrl(url)).toBe(true);
  expect(parseClickhouseUrl(url)).toEqual({ origin, user, password, database });
});

test("another parameter is refused by its name alone", () => {
  expect(() => parseClickhouseUrl("https://a:secret@host/logs?ssl_mode=none&password=hunter2")).toThrow(
    "LOG_DATABASE_URL has the parameter ssl_mode; those of ClickHouse are secure and database",
  );
});

test("addresses of other databases are none of ClickHouse's", () => {
  expect(["postgres://h/d", "mysql://h/d", "mariadb://h/d"].map(isClickhouseUrl)).toEqual([false, false, false]);
});
