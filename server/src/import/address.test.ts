/** Addresses of another gateway's database: each form that the other programs take, and no password in what is refused. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAddress } from "./address.ts";

const mysql = { engine: "mysql", host: "db", port: 3306, user: "root", password: "p:a@s/s)(?", database: "oneapi" };
const postgres = { engine: "postgres", host: "db", port: 5433, user: "me", password: "it's me", database: "newapi" };

test.each([
  ["root:p:a@s/s)(?@tcp(db:3306)/oneapi?charset=utf8mb4&parseTime=True", mysql],
  ["root:p:a@s/s)(?@tcp(db)/oneapi?tls=skip-verify", { ...mysql, isEncrypted: true, isVerified: false }],
  ["root@tcp([::1]:3307)/oneapi", { ...mysql, host: "::1", port: 3307, password: "" }],
  ["root:@/oneapi", { ...mysql, host: "127.0.0.1", password: "" }],
  ["mysql://root:p%3Aa%40s%2Fs%29%28%3F@db/oneapi", mysql],
  ["mariadb://root:p%3Aa%40s%2Fs%29%28%3F@db:3306/oneapi?tls=true", { ...mysql, isEncrypted: true, isVerified: true }],
  ["postgres://me:it's%20me@db:5433/newapi?sslmode=disable", { ...postgres, isEncrypted: false }],
  ["postgresql://me:it's%20me@db:5433/newapi?sslmode=require", { ...postgres, isEncrypted: true, isVerified: false }],
  ["postgres://me:it's%20me@db:5433/newapi?sslmode=verify-full", { ...postgres, isVerified: true }],
  ["host=db user=me password='it\\'s me' dbname=newapi port=5433 sslmode=disable TimeZone=Asia/Shanghai", postgres],
  ["user=me password=x dbname=newapi", { ...postgres, host: "127.0.0.1", port: 5432, password: "x" }],
])("%s is read", (text, address) => {
  expect(readAddress(text)).toMatchObject(address);
  expect(readAddress(text).place).not.toMatch(/p:a@s|it's me/);
});

test("a file is read by its path, also behind a scheme and before parameters", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-address-"));
  const path = join(folder, "one-api.db");
  await writeFile(path, "");
  for (const text of [path, `${path}?_busy_timeout=30000`, `file:${path}?mode=ro`, `sqlite://${path}`])
    expect(readAddress(text)).toMatchObject({ engine: "sqlite", path });
  await rm(folder, { recursive: true });
});

test.each([
  "root:hidden-word@unix(/run/mysqld.sock)/oneapi",
  "postgres://me:hidden-word@/newapi",
  "clickhouse://me:hidden-word@db/logs",
  "root:hidden-word@tcp(db:3306)/",
])("%s is refused without its password", (text) => {
  const refusal = (() => {
    try {
      return JSON.stringify(readAddress(text));
    } catch (error) {
      return String(error);
    }
  })();
  expect(refusal).toMatch(/^Error: /);
  expect(refusal).not.toContain("hidden-word");
});
