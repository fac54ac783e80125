/** Every endpoint of the console API by feature: what the server mounts, the OpenAPI document prints and the tests walk. */
import * as channelGateway from "./channels/gateway.ts";
import * as channelModelWatch from "./channels/model-watch.ts";
import * as channelKeys from "./channels/keys.ts";
import type { Endpoint } from "./endpoint.ts";
import * as channelPage from "./channels/page.ts";
import * as channelDegraded from "./channels/degraded.ts";
import * as channelBalances from "./channels/balances.ts";
import * as channelImpact from "./channels/impact.ts";
import * as channelStoredModels from "./channels/stored-models.ts";
import * as channelOverrides from "./channels/override-preview.ts";
import * as channels from "./features/channels.ts";
import * as configuration from "./features/configuration.ts";
import * as dashboard from "./features/dashboard.ts";
import * as drawing from "./features/drawing.ts";
import * as factors from "./features/factors.ts";
import * as groups from "./features/groups.ts";
import * as health from "./features/health.ts";
import * as identities from "./features/identities.ts";
import * as logs from "./features/logs.ts";
import * as notifications from "./features/notifications.ts";
import * as options from "./features/options.ts";
import * as audit from "./features/audit.ts";
import * as people from "./people.ts";
import * as playground from "./features/playground.ts";
import * as personal from "./features/personal.ts";
import * as prices from "./features/prices.ts";
import * as pricing from "./features/pricing.ts";
import * as redemptions from "./features/redemptions.ts";
import * as routing from "./features/routing.ts";
import * as sessions from "./features/sessions.ts";
import * as setup from "./features/setup.ts";
import * as system from "./features/system.ts";
import * as status from "./features/status.ts";
import * as tasks from "./features/tasks.ts";
import * as tokens from "./features/tokens.ts";
import * as setupLinks from "./connect/setup-links.ts";
import * as users from "./features/users.ts";
import * as wallet from "./features/wallet.ts";
import * as paymentMethods from "./payments/methods.ts";

/** The endpoints among what a feature's module exports (it exports schemas and constants too). */
export type EndpointsOf<Module> = {
  [Name in keyof Module as Module[Name] extends Endpoint ? Name : never]: Module[Name];
};

interface Modules {
  setup: typeof setup;
  status: typeof status;
  system: typeof system;
  sessions: typeof sessions;
  identities: typeof identities;
  notifications: typeof notifications;
  options: typeof options;
  tokens: typeof tokens & typeof setupLinks;
  redemptions: typeof redemptions;
  audit: typeof audit;
  users: typeof users & typeof people;
  channels: typeof channels &
    typeof channelBalances &
    typeof channelPage &
    typeof channelImpact &
    typeof channelKeys &
    typeof channelGateway &
    typeof channelModelWatch &
    typeof channelStoredModels &
    typeof channelOverrides;
  configuration: typeof configuration;
  health: typeof health & typeof channelDegraded;
  logs: typeof logs;
  dashboard: typeof dashboard;
  drawing: typeof drawing;
  tasks: typeof tasks;
  factors: typeof factors;
  groups: typeof groups;
  personal: typeof personal;
  playground: typeof playground;
  prices: typeof prices;
  pricing: typeof pricing;
  routing: typeof routing;
  wallet: typeof wallet & typeof paymentMethods;
}

export type FeatureName = keyof Modules;
export type FeatureModule<Feature extends FeatureName> = Modules[Feature];

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === "object" && value !== null && "method" in value && "path" in value && "access" in value;
}

function endpointsOf(module: object): Readonly<Record<string, Endpoint>> {
  const entries = Object.entries(module).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1]));
  return Object.freeze(Object.fromEntries(entries));
}

/** Every endpoint, by the name of its feature and then by its own. */
export const API: Readonly<Record<FeatureName, Readonly<Record<string, Endpoint>>>> = Object.freeze({
  setup: endpointsOf(setup),
  status: endpointsOf(status),
  system: endpointsOf(system),
  sessions: endpointsOf(sessions),
  identities: endpointsOf(identities),
  notifications: endpointsOf(notifications),
  options: endpointsOf(options),
  tokens: endpointsOf({ ...tokens, ...setupLinks }),
  redemptions: endpointsOf(redemptions),
  audit: endpointsOf(audit),
  users: endpointsOf({ ...users, ...people }),
  channels: endpointsOf({
    ...channels,
    ...channelBalances,
    ...channelPage,
    ...channelImpact,
    ...channelKeys,
    ...channelGateway,
    ...channelModelWatch,
    ...channelStoredModels,
    ...channelOverrides,
  }),
  configuration: endpointsOf(configuration),
  health: endpointsOf({ ...health, ...channelDegraded }),
  logs: endpointsOf(logs),
  dashboard: endpointsOf(dashboard),
  drawing: endpointsOf(drawing),
  tasks: endpointsOf(tasks),
  factors: endpointsOf(factors),
  groups: endpointsOf(groups),
  personal: endpointsOf(personal),
  playground: endpointsOf(playground),
  prices: endpointsOf(prices),
  pricing: endpointsOf(pricing),
  routing: endpointsOf(routing),
  wallet: endpointsOf({ ...wallet, ...paymentMethods }),
});

export const FEATURE_NAMES = Object.freeze(Object.keys(API) as FeatureName[]);
