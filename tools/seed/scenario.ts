/** The types of a scenario: its users, channels and tokens. */
import type { BuiltInWay } from "../../contract/src/ways-in.ts";
import type { TaskFailCode, TaskPlatform, TaskStatus } from "../../contract/src/tasks.ts";
import type { SeedCodes } from "./codes.ts";
import type { Incident } from "./incident.ts";
import type { SeedOrder } from "./orders.ts";
import type { SeedKeys } from "./several-keys.ts";

export interface SeedChannel {
  name: string;
  /** Channel type: 1 OpenAI, 2 a Midjourney proxy, 8 an OpenAI-compatible upstream, 14 Anthropic, 24 Gemini, 36 Suno, 43 DeepSeek. */
  type: 1 | 2 | 8 | 14 | 24 | 36 | 43;
  models: readonly string[];
  groups?: readonly string[];
  priority?: number;
  weight?: number;
  tag?: string;
  /** What its upstream asks for, as JSON text; the price list where absent. */
  costs?: string;
  /** Where it has several; one where absent. */
  keys?: SeedKeys;
  /** `fake` is the fake upstream; `dead` an address where nothing answers. */
  upstream: "fake" | "dead";
  isDisabled?: boolean;
  /** The balance its upstream reported some hours ago, or why it failed; never asked if absent. */
  balance?: SeedBalance;
}

export interface SeedBalance {
  amount: number;
  currency: "USD" | "CNY";
  hoursAgo: number;
  /** The upstream's message of a later refusal. */
  failure?: { status: number; message: string };
}

export interface SeedToken {
  name: string;
  /** Absent: unlimited. */
  quota?: number;
  models?: readonly string[];
  addresses?: readonly string[];
  expiresInDays?: number;
  isDisabled?: boolean;
}

export interface SeedPerson {
  username: string;
  displayName: string;
  /** As contract/src/roles.ts. */
  role: number;
  group: string;
  /** Opening balance in quota. */
  quota: number;
  tokens: readonly SeedToken[];
  /** What an administrator did to them in the end. */
  end?: "disable" | "delete";
  /** User name of the inviter, earlier in the list, who gets a reward for it. */
  invitedBy?: string;
  email?: string;
  /** Accounts of other sites: the stable id there, by way. */
  bound?: Partial<Record<BuiltInWay, string>>;
}

export interface SeedTask {
  /** User name; the administrator where absent. */
  of?: string;
  platform: TaskPlatform;
  action: string;
  status: TaskStatus;
  minutesAgo: number;
  /** From the submission to the end; absent while it runs. */
  seconds?: number;
  /** Percent; 100 for one that has ended. */
  progress?: number;
  prompt: string;
  promptEn?: string;
  /** The upstream's answer to the submission; 1 where absent. */
  code?: number;
  failCode?: TaskFailCode;
  failReason?: string;
  /** What it cost. */
  usd: number;
  /** Path of the picture at the fake upstream. */
  picture?: string;
  /** Of songs: what the upstream reports of them. */
  songs?: readonly { title: string; tags: string; tune?: number; seconds?: number }[];
  lyrics?: { title: string; text: string };
  /** Of videos: what was asked for. */
  video?: { seconds: number; size: string };
}

export interface Scenario {
  about: string;
  people: readonly SeedPerson[];
  /** Tokens of the administrator the wizard makes. */
  adminTokens: readonly SeedToken[];
  channels: readonly SeedChannel[];
  /** Days of past usage, and the mean number of calls in one. */
  days: number;
  callsPerDay: number;
  /** Share of calls that failed at the upstream, 0 to 1. */
  failureShare: number;
  /** Image tasks, songs and videos. */
  tasks?: readonly SeedTask[];
  /** Redemption codes, and who used them. */
  codes?: readonly SeedCodes[];
  /** Online top-ups. */
  orders?: readonly SeedOrder[];
  /** What went wrong on the way, as recorded in the log. */
  incidents?: readonly Incident[];
}
