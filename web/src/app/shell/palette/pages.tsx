/** Pages in the command palette: those of the side bar and the site, and those that lie behind them; found by other words too. */
import { IconFlask, IconPlugConnected, IconShieldLock, IconUserShield, type TablerIcon } from "@tabler/icons-react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { Act } from "../../../../../contract/src/permissions.ts";
import { mayOf, useViewer } from "../../../lib/viewer.ts";
import { mayOpen, useHiding, visibleGroups } from "../entries.tsx";
import { useSitePages } from "../site-pages.tsx";
import { type Go, glyph, type PaletteItem, type PaletteSection } from "./item.ts";

interface Place {
  id: "connect" | "security" | "dryRun" | "permissions";
  to: string;
  icon: TablerIcon;
  /** For administrators who may do this. */
  act?: Act;
}

/** Pages and sections that the side bar has no entry for. */
const PLACES: readonly Place[] = [
  { id: "connect", to: "/connect", icon: IconPlugConnected },
  { id: "security", to: "/personal/security", icon: IconShieldLock },
  { id: "dryRun", to: "/setting?tab=operation&section=dry_run", icon: IconFlask, act: "money" },
  { id: "permissions", to: "/user/permissions", icon: IconUserShield },
];

/** Other words for pages, in both languages, by the id of their entry or place. */
const WORDS: Readonly<Record<string, string>> = {
  playground: "chat test try compare 聊天 对话 试用 比较",
  dashboard: "statistics analytics charts spend overview 统计 图表 消费 概览",
  tokens: "api keys secret access 密钥 API 钥匙",
  logs: "history calls requests receipts errors 历史 调用 请求 账单 错误",
  drawing: "images midjourney pictures 图片 绘画 画图",
  studio: "draw sing film speak create image video song speech make 创作 画图 视频 歌曲 语音",
  tasks: "songs videos suno music 音乐 视频 歌曲",
  channels: "upstreams providers vendors keys 上游 厂商 供应商",
  redemptions: "codes vouchers coupons gift cards 兑换 卡密 优惠券",
  orders: "payments sales revenue top-ups 支付 充值 收入",
  users: "people accounts members customers 用户 账户 成员 客户",
  notifications: "mails sent outbox webhooks 邮件 通知 发送",
  system:
    "doctor health checks version database disk jobs backups processes support bundle 系统 检查 版本 数据库 磁盘 备份 进程",
  audit: "changes who when revert undo trail history 变更 审计 撤销 记录",
  settings: "options configuration preferences admin 选项 配置 设置",
  wallet: "balance credit top up recharge redeem pay 余额 充值 兑换 支付",
  personal: "profile account notifications invitation 资料 账户 通知 邀请",
  connect:
    "claude code codex gemini cli cursor cline opencode aider zed sdk setup doctor agent program 接入 智能体 编程 诊断 配置 程序",
  security:
    "password 2fa two factor mfa passkey recovery codes sessions devices access tokens delete account log 密码 两步验证 通行密钥 恢复码 会话 设备 访问令牌 删除账户 安全日志",
  permissions: "roles rights acl rbac access matrix administrators 角色 权限 管理员",
  health: "uptime availability status latency errors monitoring failing 可用性 状态 延迟 监控 故障",
  routing: "explain routing explainer which channel why failover 路由 解释 为什么 渠道选择",
  dryRun: "what if simulate price change test 模拟 试算 调价",
  prices: "pricing cost ratio model price 定价 费率 倍率 计费",
  pricing: "prices models cost list 价格 模型 费用",
};

/** Home, prices and about, to stand among the pages. */
function useSiteItems(go: Go): PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  return useSitePages().map(({ id, to, icon: Icon }) => ({
    id: `site-${id}`,
    name: t(`nav.${id}`),
    words: WORDS[id] ?? "",
    icon: <Icon {...glyph} />,
    run: () => go(to),
  }));
}

/** Every page that the viewer may open; places behind the side bar's entries only where something is typed. */
export function usePages(go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const viewer = useViewer();
  const entries = visibleGroups(viewer, useHiding()).flatMap((group) => group.entries);
  const items = entries.map((entry): PaletteItem => ({
    id: `page-${entry.id}`,
    name: t(`entries.${entry.id}`),
    words: WORDS[entry.id] ?? "",
    icon: <entry.icon {...glyph} />,
    run: () => go(entry.to),
  }));
  const listed = new Set<string>(entries.map(({ to }) => to));
  const places = PLACES.filter(
    ({ to, act }) => !listed.has(to) && (act === undefined || mayOf(viewer, act)) && mayOpen(to, viewer),
  ).map(({ id, to, icon: Icon }): PaletteItem => ({
    id: `place-${id}`,
    name: t(`palette:place.${id}`),
    words: WORDS[id] ?? "",
    isFoundOnly: true,
    icon: <Icon {...glyph} />,
    run: () => go(to),
  }));
  return { id: "pages", title: t("palette:pages"), items: [...items, ...places, ...useSiteItems(go)] };
}
