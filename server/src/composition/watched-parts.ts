/** Gauges of /metrics read from other parts: the ledger, the circuit breakers, the channels, readiness and the build. */
import { CHANNEL_STATUS } from "../../../contract/src/features/channels.ts";
import type { Billing, LedgerFigures } from "../billing/billing.ts";
import type { PoolFigures } from "../db/database.ts";
import type { Labels, WatchedGauge } from "../observe/metrics.ts";
import type { Parts } from "./parts.ts";
import { PROGRAM } from "./program.ts";
import { storedGauges } from "./stored-gauges.ts";

/** Channels beyond these, those with the highest ids, are not shown by themselves. */
const MAX_CHANNELS = 1_000;

const ledgerGauge = (billing: Billing, name: string, help: string, figure: keyof LedgerFigures): WatchedGauge => ({
  name,
  help,
  read: () => [[{}, billing.figures[figure]]],
});

const ledgerGauges = ({ foundation: { billing, snapshot } }: Parts): WatchedGauge[] => [
  ledgerGauge(billing, "turnpike_open_holds", "Holds of calls under way", "openHolds"),
  ledgerGauge(billing, "turnpike_held_quota", "Quota set aside for calls under way", "heldQuota"),
  ledgerGauge(billing, "turnpike_settlement_queue", "Ledger entries that wait for the database", "waiting"),
  ledgerGauge(billing, "turnpike_journal_entries", "Charges in the journal that are not replayed yet", "journaled"),
  {
    name: "turnpike_settlement_queue_age_seconds",
    help: "How long the oldest waiting ledger entry has waited",
    aggregator: "max",
    read: () => [[{}, billing.figures.oldestMs / 1000]],
  },
  {
    name: "turnpike_ready",
    help: "1 where ledger and snapshot follow the database, else 0; the least of all processes",
    aggregator: "min",
    read: () => [[{}, billing.isHealthy && snapshot.isHealthy ? 1 : 0]],
  },
];

function channelGauges({ foundation: { snapshot }, providers, health }: Parts): WatchedGauge[] {
  const labelsOf = (id: number, type: number): Labels => ({
    channel: String(id),
    provider: providers.byType(type)?.manifest.slug ?? "",
  });
  const labelNames = ["channel", "provider"];
  return [
    {
      name: "turnpike_channel_enabled",
      help: "1 for a channel that may be asked, 0 for one that is switched off",
      labelNames,
      aggregator: "max",
      read: () =>
        snapshot
          .channels()
          .slice(0, MAX_CHANNELS)
          .map(({ id, type, status }) => [labelsOf(id, type), status === CHANNEL_STATUS.enabled ? 1 : 0]),
    },
    {
      name: "turnpike_breaker_open",
      help: "Processes in which the circuit breaker of the channel is open",
      labelNames,
      read: () =>
        health
          .open(performance.now())
          .slice(0, MAX_CHANNELS)
          .map(({ channelId }) => [labelsOf(channelId, snapshot.channelById(channelId)?.type ?? 0), 1]),
    },
  ];
}

const databaseGauges = ({ foundation: { database, snapshot } }: Parts): WatchedGauge[] => {
  const poolGauge = (name: string, help: string, figure: keyof PoolFigures): WatchedGauge => ({
    name,
    help,
    read: () => [[{}, database.connections?.()[figure] ?? 0]],
  });
  return [
    {
      name: "turnpike_snapshot_age_seconds",
      help: "How long ago the database answered the snapshot; of several processes the longest",
      aggregator: "max",
      read: () => [[{}, snapshot.ageMs / 1000]],
    },
    poolGauge("turnpike_database_connections", "Connections to the database; 0 for the embedded one", "open"),
    poolGauge("turnpike_database_connections_idle", "Connections that nothing uses now", "idle"),
    poolGauge("turnpike_database_waiting", "Statements that wait for a connection", "waiting"),
  ];
};

const buildGauge: WatchedGauge = {
  name: "turnpike_build_info",
  help: "Always 1; its label is the version",
  labelNames: ["version"],
  aggregator: "max",
  read: () => [[{ version: PROGRAM.version }, 1]],
};

const processGauge: WatchedGauge = {
  name: "turnpike_processes",
  help: "Processes that this answer is of",
  read: () => [[{}, 1]],
};

/** Shows them all in the metrics of this process. */
export function watchParts(parts: Parts): void {
  for (const gauge of [
    ...ledgerGauges(parts),
    ...channelGauges(parts),
    ...databaseGauges(parts),
    ...storedGauges(parts, MAX_CHANNELS),
    buildGauge,
    processGauge,
  ])
    parts.metrics.watch(gauge);
}
