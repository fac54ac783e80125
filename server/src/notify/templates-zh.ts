/** Chinese notification templates. */
import { WAY_TITLES } from "../../../contract/src/ways-in.ts";
import type { LanguageTemplates } from "./templates-en.ts";

const NOT_YOU = "如果不是您本人操作，请立即修改密码并联系管理员。";

const ROLES = { "1": "普通用户", "10": "管理员", "100": "超级管理员" };
const FACTORS = { totp: "身份验证器", passkey: "通行密钥", recovery_codes: "一组恢复码" };

export const CHINESE: LanguageTemplates = {
  footer: "此邮件由 {site} 因您的账户自动发送，请勿回复。",
  valueWords: {
    factor: FACTORS,
    from: ROLES,
    to: ROLES,
    provider: { ...WAY_TITLES, email: "邮箱", wechat: "微信" },
  },
  messages: {
    email_code: {
      subject: "{site}：您的验证码",
      paragraphs: [
        "请在获取验证码的页面输入以下验证码。验证码 {minutes} 分钟内有效，仅可使用一次。",
        "如果您没有获取验证码，请忽略此邮件。",
      ],
      code: "code",
    },
    password_reset: {
      subject: "{site}：重置您的密码",
      paragraphs: [
        "有人请求重置您账户的密码。以下链接 {minutes} 分钟内有效，仅可使用一次。",
        "如果不是您本人操作，请忽略此邮件，您的密码不会改变。",
      ],
      action: { label: "重置密码", value: "address" },
    },
    invitation: {
      subject: "{inviter} 邀请您加入 {site}",
      paragraphs: [
        "{inviter} 邀请您加入 {site}。通过链接即可创建账户，链接只能使用一次，有效期至 {until}。",
        "如果您不需要账户，请忽略此消息。",
      ],
      action: { label: "创建账户", value: "address" },
    },
    password_changed: {
      subject: "{site}：您的密码已修改",
      paragraphs: ["您账户的密码已于 {time} 从地址 {ip} 修改。", NOT_YOU],
    },
    password_set_by_administrator: {
      subject: "{site}：管理员设置了新密码",
      paragraphs: [
        "管理员已于 {time} 为您的账户设置了新密码。您已在所有设备上退出登录，所有访问令牌也已失效。",
        "如果这不是您要求的，请联系管理员。",
      ],
    },
    identity_added: {
      subject: "{site}：已添加登录方式",
      paragraphs: ["{provider} 已于 {time} 从地址 {ip} 绑定到您的账户。", NOT_YOU],
    },
    identity_removed: {
      subject: "{site}：已移除登录方式",
      paragraphs: ["{provider} 已于 {time} 从地址 {ip} 与您的账户解除绑定。", NOT_YOU],
    },
    factor_added: {
      subject: "{site}：已添加两步验证",
      paragraphs: ["{factor}已于 {time} 从地址 {ip} 添加到您的账户。", NOT_YOU],
    },
    factor_removed: {
      subject: "{site}：已移除两步验证",
      paragraphs: ["{factor}已于 {time} 从地址 {ip} 自您的账户移除。", NOT_YOU],
    },
    identity_removed_by_administrator: {
      subject: "{site}：管理员解绑了 {provider}",
      paragraphs: [
        "管理员已于 {time} 解绑您的 {provider} 账户，无法再用它登录。",
        "如果这不是您要求的，请联系管理员。",
      ],
    },
    factor_removed_by_administrator: {
      subject: "{site}：管理员移除了两步验证",
      paragraphs: ["{factor}已于 {time} 由管理员自您的账户移除。", "如果这不是您要求的，请联系管理员。"],
    },
    access_token_made: {
      subject: "{site}：已创建访问令牌",
      paragraphs: ["您的账户已于 {time} 从地址 {ip} 创建访问令牌“{name}”。权限范围：{scope}。", NOT_YOU],
    },
    sessions_ended_by_administrator: {
      subject: "{site}：管理员已让您退出登录",
      paragraphs: [
        "管理员已于 {time} 结束您账户的所有会话和访问令牌。您可以重新登录。",
        "如果这不是您要求的，请联系管理员。",
      ],
    },
    role_changed: {
      subject: "{site}：您的角色已变更",
      paragraphs: ["您的角色已于 {time} 由{from}变更为{to}。您的会话和访问令牌均已结束，请重新登录。"],
    },
    account_disabled: {
      subject: "{site}：您的账户已被禁用",
      paragraphs: [
        "管理员已于 {time} 禁用您的账户。您将无法登录，您的令牌也会被拒绝。",
        "如果您认为这是误操作，请联系管理员。",
      ],
    },
    account_enabled: {
      subject: "{site}：您的账户已启用",
      paragraphs: [
        "管理员已于 {time} 启用您的账户。您可以重新登录，您的令牌也可正常使用；因禁用而结束的访问令牌需要重新创建。",
      ],
    },
    account_deleted: {
      subject: "{site}：您的账户已删除",
      paragraphs: ["您的账户已于 {time} 删除。所有会话均已结束，令牌将被拒绝。"],
    },
    monthly_statement: {
      subject: "{site}：您的 {month} 月度账单",
      paragraphs: [
        "期初余额：{opening}（额度 {opening_units}）\n充值：{top_ups}\n退款或争议扣回：{reversals}\n赠送与调整：{credits}\n{requests} 次调用的消费：{spent}\n退还的费用：{refunds}\n期末余额：{closing}（额度 {closing_units}）",
        "按模型统计（已扣除退还的费用）：\n{models}",
        "您在个人设置中开启了月度账单，因此收到此消息。",
      ],
      action: { label: "打开钱包", value: "address" },
    },
    quota_warning: {
      subject: "{site}：您的余额即将用尽",
      paragraphs: ["您的余额已降至 {remaining}，低于预警值 {threshold}。", "余额用尽后，调用将被拒绝。"],
      action: { label: "查看余额", value: "address" },
    },
    prices_changed: {
      subject: "{site}：价格已调整",
      paragraphs: [
        "您使用的模型或分组的价格已于 {time} 调整。",
        "按新价格，您最近 {days} 天的调用费用为 {new_cost}，原为 {old_cost}。",
      ],
      action: { label: "查看价格", value: "address" },
    },
    prices_announced: {
      subject: "{site}：价格将于 {start} 调整",
      paragraphs: [
        "您使用的模型或分组的价格将于 {start} 调整。在此之前开始的调用仍按当前价格计费。",
        "按新价格，您最近 {days} 天的调用费用为 {new_cost}，按当前价格为 {old_cost}。",
      ],
      action: { label: "查看当前价格", value: "address" },
    },
    model_retires: {
      subject: "{site}：{model} 将于 {day} 下线",
      paragraphs: [
        "您最近 30 天使用过的模型 {model} 将于 {day} 下线，距今 {days} 天。",
        "请在此之前将程序切换到其他模型。",
      ],
      action: { label: "查看模型", value: "address" },
    },
    card_saved: {
      subject: "{site}：已保存银行卡",
      paragraphs: [
        "您的账户于 {time} 保存了一张尾号为 {last4} 的 {brand} 银行卡。只有开启自动充值后才会扣款。",
        "如非本人操作，请在钱包中移除该卡，修改密码并结束其他会话。",
      ],
      action: { label: "打开钱包", value: "address" },
    },
    auto_top_up_set: {
      subject: "{site}：自动充值规则已更改",
      paragraphs: [
        "今后余额低于 {threshold} 时，将从您保存的银行卡扣款，每月最多 {limit}。",
        "如非本人操作，请在钱包中关闭自动充值，修改密码并结束其他会话。",
      ],
      action: { label: "打开钱包", value: "address" },
    },
    auto_top_up_off: {
      subject: "{site}：自动充值已关闭",
      paragraphs: ["系统不再从您保存的银行卡自动扣款。"],
      action: { label: "打开钱包", value: "address" },
    },
    auto_top_up_paused: {
      subject: "{site}：自动充值已暂停",
      paragraphs: [
        "余额不足时未能通过您保存的银行卡扣款（{reason}），此后不会再扣款。",
        "请在钱包中检查银行卡和规则；重新保存规则后将继续自动充值。",
      ],
      action: { label: "打开钱包", value: "address" },
    },
    group_raised: {
      subject: "{site}：您已升入 {to} 分组",
      paragraphs: ["根据累计充值，您的账户已于 {time} 从 {from} 分组升入 {to} 分组。"],
    },
    channel_disabled: {
      subject: "{site}：渠道 {name} 已被禁用",
      paragraphs: ["渠道“{name}”（#{id}）已于 {time} 自动禁用。", "原因：{reason}"],
    },
    channel_key_disabled: {
      subject: "{site}：渠道 {name} 的一个密钥已被禁用",
      paragraphs: [
        "渠道“{name}”（#{id}）的密钥 {key} 已于 {time} 自动禁用。调用将继续使用其余密钥：{total} 个中仍有 {left} 个启用。",
        "原因：{reason}",
      ],
    },
    channel_models_changed: {
      subject: "{site}：渠道 {name} 的上游模型有变化",
      paragraphs: [
        "渠道“{name}”（#{id}）的上游模型列表已于 {time} 获取。",
        "上游新增：{added}",
        "上游已下架：{removed}",
        "已自动加入渠道：{taken}",
      ],
    },
    channel_enabled: {
      subject: "{site}：渠道 {name} 已启用",
      paragraphs: ["渠道“{name}”（#{id}）测试通过，已于 {time} 自动启用。"],
    },
    payment_disputed: {
      subject: "{site}：一笔付款存在争议",
      paragraphs: [
        "{username} 的付款 {money}（订单 {number}）已于 {time} 在支付渠道被提出争议。",
        "该笔充值的额度已从余额中扣回，以剩余额度为限。请前往支付渠道处理争议；若争议胜诉，额度将自动退还。",
      ],
    },
    channel_moved: {
      subject: "{site}：渠道的请求地址已更改",
      paragraphs: [
        "{username} 于 {time} 更改了渠道 {name}（编号 {id}）的请求去向：服务商、Base URL 或代理。当前 Base URL 为 {address}。",
        "如有异常，请停用该渠道，并在服务商处更换密钥。",
      ],
    },
    backup_failed: {
      subject: "{site}：定时备份失败",
      paragraphs: [
        "未能将备份写入 {place}：{reason}",
        "系统每小时重试一次，恢复正常之前不再另行通知。备份位置由服务器上的环境变量 BACKUP_DIR 或 BACKUP_S3_URL 指定。",
      ],
    },
    backup_late: {
      subject: "{site}：定时备份延迟",
      paragraphs: [
        "写入 {place} 的备份本应在 {hours} 小时前完成，目前仍未完成。",
        "请查看“系统”页面和服务器日志。恢复正常之前不再另行通知。",
      ],
    },
    backup_works_again: {
      subject: "{site}：定时备份已恢复正常",
      paragraphs: ["已将完整的备份写入 {place}，并通过回读校验。"],
    },
    books_out_of_balance: {
      subject: "{site}：账目不平",
      paragraphs: [
        "每日核对发现有金额与其账本条目之和不符，共 {count} 处。",
        "请在服务器上运行“npm run audit”，它会列出每一处。",
      ],
    },
    test: {
      subject: "{site}：测试消息",
      paragraphs: ["这是您请求的测试消息。发给您账户的消息会送达此处。"],
    },
    mail_test: {
      subject: "{site}：邮件服务器测试",
      paragraphs: ["{username} 在系统设置页面发送了这封邮件。邮件服务器已按保存的设置接收。"],
    },
  },
};
