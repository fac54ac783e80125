/** The plan of a configuration file: read, compared with what is stored, section by section. */
import type { z } from "zod";
import { resolvedDocument, type ResolvedDocument } from "../../../../contract/src/configuration/document.ts";
import type { ConfigurationPlan, PlanRefusal } from "../../../../contract/src/configuration/plan.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { effectsOfPlan } from "./effects.ts";
import type { PlanWish } from "./ownership.ts";
import { type ChannelsPlan, planChannels, planProviders, type ProvidersPlan } from "./plan-channels.ts";
import { type OptionsPlan, planOptions } from "./plan-options.ts";
import { type ConfigurationState, digest, readState, revisionsOf } from "./state.ts";
import { canonical } from "./values.ts";

export interface Asked {
  document?: unknown;
  adopt: boolean;
  missing: PlanWish["missing"];
}

/** A plan with what an apply writes. */
export interface WorkingPlan {
  plan: ConfigurationPlan;
  wish: PlanWish;
  state: ConfigurationState;
  options: OptionsPlan;
  channels: ChannelsPlan;
  providers: ProvidersPlan;
}

/** Refusals that are listed. */
const REFUSALS_MOST = 200;
const NO_EFFECTS: ConfigurationPlan["effects"] = {
  prices: [],
  price_count: 0,
  groups: [],
  lost: { models: [], total: 0, calls: 0, people: 0, tokens: 0 },
};

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join(".");

/** The refusals of a schema, those of unknown fields under the fields' own paths. */
function refusalsOf(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): PlanRefusal[] {
  return issues.flatMap((issue): PlanRefusal[] => {
    const path = [...above, ...issue.path];
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        path: dotted([...path, key]),
        code: "configuration_invalid",
        message: "There is no such field",
      }));
    // Of a union the branch that went furthest says what is wrong.
    const inner =
      issue.code === "invalid_union" ? issue.errors.find((branch) => (branch[0]?.path.length ?? 0) > 0) : undefined;
    if (inner !== undefined) return refusalsOf(inner, path);
    return [{ path: dotted(path), code: "configuration_invalid", message: issue.message }];
  });
}

function emptyPlan(asked: Asked, managedBy: string): ConfigurationPlan {
  return {
    version: 1,
    managed_by: managedBy,
    document: "",
    revisions: { options: "", identity_providers: "", channels: "" },
    adopt: asked.adopt,
    missing: asked.missing,
    entries: [],
    kept: [],
    refused: [],
    effects: NO_EFFECTS,
  };
}

/** A file that cannot be read has a plan of refusals alone. */
export function readDocument(asked: Asked): { document: ResolvedDocument } | { plan: ConfigurationPlan } {
  const read = resolvedDocument.safeParse(asked.document);
  if (read.success) return { document: read.data };
  return { plan: { ...emptyPlan(asked, ""), refused: refusalsOf(read.error.issues).slice(0, REFUSALS_MOST) } };
}

/** Compares a file with what is stored; nothing changes. */
export async function makePlan(
  context: ConsoleContext,
  asked: Asked,
  document: ResolvedDocument,
): Promise<WorkingPlan> {
  await context.snapshot.refresh();
  const state = await readState(context.database);
  const { managed_by: managedBy, locked: isLocked } = document;
  const wish = { managedBy, isLocked, adopt: asked.adopt, missing: asked.missing };
  const options = await planOptions(context, document, state.options, wish);
  const providers = planProviders(context, document, state.providers, wish);
  const channels = await planChannels(context, document, state.channels, wish);
  const sections = [options, providers, channels];
  const plan: ConfigurationPlan = {
    ...emptyPlan(asked, managedBy),
    document: digest(context, canonical(document)),
    revisions: revisionsOf(context, state),
    entries: sections.flatMap(({ entries }) => entries),
    kept: sections.flatMap(({ kept }) => kept),
    refused: sections.flatMap(({ refused }) => refused).slice(0, REFUSALS_MOST),
    effects: await effectsOfPlan(context, options, channels),
  };
  return { plan, wish, state, options, channels, providers };
}
