/** The logo and the lanes that run into it, the only illustration of the console. */

/** The mark in a square of `size` pixels. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--brand)" />
      <rect x="13.7" y="13.4" width="4.6" height="13.6" rx="1.4" fill="#fff" />
      <rect x="5" y="7.4" width="13.3" height="4.6" rx="1.4" fill="#fff" />
      <rect x="19.6" y="7.4" width="9" height="4.6" rx="1.4" transform="rotate(-32 19.6 9.7)" fill="var(--brand-bar)" />
    </svg>
  );
}

/** The mark between dashed lanes, over the title of an empty list. */
export function MarkWithLanes() {
  const lane = {
    stroke: "var(--border)",
    strokeWidth: 1.5,
    strokeDasharray: "3 4",
    strokeLinecap: "round",
    fill: "none",
  } as const;
  return (
    <svg width="308" height="60" viewBox="0 0 308 60" aria-hidden="true" focusable="false">
      <path d="M2 7 C52 7 62 30 114 30" {...lane} />
      <path d="M2 30 H114" {...lane} />
      <path d="M2 53 C52 53 62 30 114 30" {...lane} />
      <path d="M306 7 C256 7 246 30 194 30" {...lane} />
      <path d="M306 30 H194" {...lane} />
      <path d="M306 53 C256 53 246 30 194 30" {...lane} />
      <svg x="128" y="4" width="52" height="52" viewBox="0 0 32 32">
        <rect width="32" height="32" rx="7" fill="var(--brand)" />
        <rect x="13.7" y="13.4" width="4.6" height="13.6" rx="1.4" fill="#fff" />
        <rect x="5" y="7.4" width="13.3" height="4.6" rx="1.4" fill="#fff" />
        <rect
          x="19.6"
          y="7.4"
          width="9"
          height="4.6"
          rx="1.4"
          transform="rotate(-32 19.6 9.7)"
          fill="var(--brand-bar)"
        />
      </svg>
    </svg>
  );
}
