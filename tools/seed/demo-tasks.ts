/** The image tasks, songs and videos of the demonstration: one in every state, with results that the fake upstream serves. */
import { IMAGE_TASKS } from "./demo-image-tasks.ts";
import type { SeedTask } from "./scenario.ts";

const FERRY = `[Verse]
The ferry leaves at half past nine
With paper cups and folded maps
The river keeps the city's time
And lends us each a little back

[Chorus]
Oh, over and over, the water goes by
Over and over, and so do I`;

const TASKS: readonly SeedTask[] = [
  {
    platform: "suno",
    action: "MUSIC",
    status: "IN_PROGRESS",
    minutesAgo: 1,
    progress: 50,
    prompt: "A slow ferry song with one guitar",
    usd: 0.1,
    songs: [{ title: "Half past nine", tags: "folk, acoustic" }],
  },
  {
    platform: "suno",
    action: "MUSIC",
    status: "SUCCESS",
    minutesAgo: 12,
    seconds: 96,
    prompt: "A slow ferry song with one guitar",
    usd: 0.1,
    songs: [
      { title: "Over and over", tags: "folk, acoustic, calm", tune: 1, seconds: 187 },
      { title: "Over and over", tags: "folk, acoustic, calm", tune: 2, seconds: 164 },
    ],
  },
  {
    platform: "suno",
    action: "LYRICS",
    status: "SUCCESS",
    minutesAgo: 18,
    seconds: 8,
    prompt: "Lyrics about a ferry that leaves in the morning",
    usd: 0.01,
    lyrics: { title: "Over and over", text: FERRY },
  },
  {
    of: "lin",
    platform: "suno",
    action: "MUSIC",
    status: "SUCCESS",
    minutesAgo: 25,
    seconds: 81,
    prompt: "轻快的城市民谣，适合清晨骑车",
    usd: 0.1,
    songs: [{ title: "清晨骑行", tags: "民谣, 轻快", tune: 4, seconds: 142 }],
  },
  {
    of: "lin",
    platform: "suno",
    action: "MUSIC",
    status: "FAILURE",
    minutesAgo: 40,
    seconds: 3,
    prompt: "翻唱一首流行歌曲",
    failReason: "Song Description contained artist name",
    usd: 0.1,
  },
  {
    of: "marco",
    platform: "suno",
    action: "MUSIC",
    status: "QUEUED",
    minutesAgo: 2,
    progress: 0,
    prompt: "Eight bars of a music box",
    usd: 0.1,
  },
  {
    of: "grace",
    platform: "suno",
    action: "LYRICS",
    status: "NOT_START",
    minutesAgo: 0,
    progress: 0,
    prompt: "A verse for a birthday",
    usd: 0.01,
  },
  {
    platform: "video",
    action: "GENERATE",
    status: "SUCCESS",
    minutesAgo: 35,
    seconds: 142,
    prompt: "A paper sun over slow blue waves, seamless loop",
    usd: 0.4,
    video: { seconds: 4, size: "1280x720" },
  },
  {
    platform: "video",
    action: "GENERATE",
    status: "IN_PROGRESS",
    minutesAgo: 2,
    progress: 33,
    prompt: "The same waves at night",
    usd: 0.8,
    video: { seconds: 8, size: "1280x720" },
  },
  {
    of: "grace",
    platform: "video",
    action: "REMIX",
    status: "FAILURE",
    minutesAgo: 70,
    seconds: 21,
    prompt: "Make the sun a face everybody knows",
    failReason: "Your request was blocked by our moderation system.",
    usd: 0.4,
    video: { seconds: 4, size: "720x1280" },
  },
  {
    of: "grace",
    platform: "suno",
    action: "LYRICS",
    status: "FAILURE",
    minutesAgo: 95,
    seconds: 14,
    prompt: "A verse for a birthday",
    failCode: "unexplained",
    usd: 0.01,
  },
  {
    platform: "video",
    action: "GENERATE",
    status: "FAILURE",
    minutesAgo: 410,
    seconds: 600,
    prompt: "A paper moon over the same waves",
    failCode: "interrupted",
    usd: 0,
    video: { seconds: 4, size: "1280x720" },
  },
  {
    of: "marco",
    platform: "suno",
    action: "MUSIC",
    status: "FAILURE",
    minutesAgo: 1600,
    seconds: 86_400,
    prompt: "Rain on a tin roof, no drums",
    failCode: "lost_upstream",
    usd: 0.1,
  },
  {
    of: "lin",
    platform: "suno",
    action: "LYRICS",
    status: "SUCCESS",
    minutesAgo: 3100,
    seconds: 11,
    prompt: "写一首关于渡船的歌词",
    usd: 0.01,
    lyrics: { title: "渡船", text: "九点半的渡船\n带走一杯热茶\n河水慢慢地流\n把时间还给家" },
  },
];

export const DEMO_TASKS: readonly SeedTask[] = [...IMAGE_TASKS, ...TASKS];
