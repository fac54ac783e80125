/** Tests a channel as its form describes it, stored or not: with the typed key, or the stored one where it goes nowhere else. */
import type { ChannelDraft } from "../../../../contract/src/channels/channel-form.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { chargeQuota } from "../../../../contract/src/pricing/pricing.ts";
import { openProxy, withProxy } from "../../db/proxy-login.ts";
import { openHeaderOverride } from "../../db/secrets.ts";
import { toChannel } from "../../snapshot/rows.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { headersForRow, settingForRow } from "./moves.ts";
import { checkKeyForms } from "./provider-rules.ts";
import { checkKeyText, newChannelOf, patchOf } from "./rules.ts";
import { checkReach, providerOf } from "./service.ts";
import { findChannel } from "./store.ts";
import { askChannel, isTestable, logTest, type Tester, type TestOutcome } from "./tests.ts";

/** A channel of this id is none: what its test shows is kept with no channel. */
const NO_CHANNEL = 0;

/** Columns of a channel that its form has nothing to do with. */
const UNTOUCHED = { changed_version: 0, key_hash: "", key_cipher: "", key_first: "", key_last: "", key_choice: 0 };

const isTyped = (key: string | null | undefined): key is string => (key ?? "").trim() !== "";

/** Whether calls of both go to the same place by the same way: only then may one have the key of the other. */
const reachesSame = (one: SnapshotChannel, other: SnapshotChannel): boolean =>
  one.type === other.type &&
  one.baseUrl === other.baseUrl &&
  one.other === other.other &&
  one.openaiOrganization === other.openaiOrganization &&
  (one.setting.proxy ?? "") === (other.setting.proxy ?? "");

/** The values of the form, in clear; `***` in a proxy is the stored one. Throws channel_proxy_login_needed. */
function settingOf({ secrets }: ConsoleContext, described: string, stored = ""): string {
  const sealed = described === stored ? stored : settingForRow(secrets, described, stored);
  try {
    return withProxy(sealed, (proxy) => openProxy(secrets, proxy));
  } catch (cause) {
    throw new AppError("channel_proxy_login_needed", { field: "setting", cause });
  }
}

/** The form's channel without its key, and whether stored values of headers are in it. */
interface Described {
  draft: SnapshotChannel;
  keepsHeaders: boolean;
}

/** Throws what is wrong with a field, and not_found. */
async function describedBy(context: ConsoleContext, sent: ChannelDraft): Promise<Described> {
  const { id, model: _model, key: _key, kind: _kind, ...fields } = sent;
  const before = id === undefined ? undefined : await findChannel(context.database.kysely, id);
  if (id !== undefined && before === undefined)
    throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  // It may be tested before it has a name.
  const fresh = { ...fields, name: isTyped(fields.name) ? fields.name : "?" };
  const patch = before === undefined ? newChannelOf(fresh) : patchOf(fields);
  const row = before === undefined ? newChannelOf(fresh) : { ...before, ...patch };
  await checkReach(context, row);
  const status = CHANNEL_STATUS.enabled;
  const setting = settingOf(context, row.setting, before?.setting);
  const { secrets } = context;
  const headers = headersForRow(secrets, patch.header_override ?? undefined, before?.header_override ?? null);
  const header_override = openHeaderOverride(secrets, headers.sealed);
  const described = { ...UNTOUCHED, ...row, setting, header_override, key_set_time: 0, created_time: 0 };
  return { draft: toChannel({ ...described, id: NO_CHANNEL, status }, ""), keepsHeaders: headers.keepsStored };
}

/** The draft with the key it is to be tried with. Throws channel_key_missing and channel_headers_needed where stored ones may not go there. */
function withKey(context: ConsoleContext, { draft, keepsHeaders }: Described, sent: ChannelDraft): SnapshotChannel {
  const { id, key } = sent;
  // Where it goes, its headers and its key are read in one piece, so that no secret of one state is sent to an address of another.
  const stored = id === undefined ? undefined : context.snapshot.channelById(id);
  const isSame = stored !== undefined && reachesSame(stored, draft);
  if (keepsHeaders && !isSame) throw new AppError("channel_headers_needed", { field: "header_override" });
  if (isTyped(key)) {
    const { keys } = checkKeyText(key);
    checkKeyForms(providerOf(context, draft.type).manifest, keys);
    return { ...draft, key: keys[0] ?? "" };
  }
  if (!isSame)
    throw new AppError("channel_key_missing", {
      field: "key",
      message: "Enter the key: the stored one is not sent to another address, provider or proxy",
    });
  return { ...draft, key: stored.key };
}

/** The upstream cost of the answer by the channel's own figures, else by the price list; quota units. */
function costOfTest({ snapshot }: ConsoleContext, channel: SnapshotChannel, { model, usage }: TestOutcome) {
  if (usage === undefined) return undefined;
  const found = snapshot.upstreamPriceOf(channel, channel.modelMapping[model] ?? model);
  return found && chargeQuota(usage, found.price, found.factor, String(snapshot.options.QuotaPerUnit));
}

/**
 * Sends one short call as the form describes it. Nothing is kept but the log's row. Never throws for what the upstream does; throws what
 * is wrong with a field, not_found and channel_test_unsupported.
 */
export async function testDraft(
  context: ConsoleContext,
  tester: Tester,
  sent: ChannelDraft,
): Promise<{ result: TestOutcome; cost: number | undefined }> {
  await context.snapshot.refresh();
  const channel = withKey(context, await describedBy(context, sent), sent);
  if (!isTestable(context, channel)) throw new AppError("channel_test_unsupported");
  const result = await askChannel(context, channel, sent.model?.trim() ?? "", undefined, sent.kind);
  await logTest(context, tester, { ...channel, id: sent.id ?? NO_CHANNEL }, result);
  return { result, cost: costOfTest(context, channel, result) };
}
