/** The well-known URL of the OpenID provider: what it describes fills the three endpoints of the draft, and a save waits for that. */
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { discoverOidc } from "../../../../../contract/src/features/options.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { FieldError } from "../../../ui/form/fields.tsx";
import { type FieldProps, useSettings } from "../draft/settings.ts";
import { LineField } from "../fields/plain-fields.tsx";
import { edited } from "../draft/draft.ts";
import styles from "./well-known.module.css";

const ENDPOINTS = {
  authorization_endpoint: "oidc.authorization_endpoint",
  token_endpoint: "oidc.token_endpoint",
  user_info_endpoint: "oidc.user_info_endpoint",
} as const;

type State = { kind: "idle" | "fetching" | "filled" } | { kind: "failed"; message: string };

const IDLE: State = { kind: "idle" };

function useDiscovery(text: string) {
  const { store } = useSettings();
  const [state, setState] = useState<State>(IDLE);
  /** The URL that was asked for last: its answer alone counts. */
  const asked = useRef("");
  const ask = async (url: string): Promise<void> => {
    asked.current = url;
    setState({ kind: "fetching" });
    try {
      const found = await call(discoverOidc, { body: { url } });
      if (asked.current !== url) return;
      for (const [name, option] of Object.entries(ENDPOINTS)) {
        const endpoint = found[name as keyof typeof ENDPOINTS];
        store.change((draft) => edited(draft, option, endpoint, false));
      }
      setState({ kind: "filled" });
    } catch (error) {
      if (asked.current === url) setState({ kind: "failed", message: describeError(error).message });
    }
  };
  const fetchNow = () => store.hold(ask(text.trim()));
  const fetchNew = () => {
    if (text.trim() !== "" && text.trim() !== asked.current) fetchNow();
  };
  const forget = () => {
    asked.current = "";
    setState(IDLE);
  };
  return { state, fetchNow, fetchNew, forget };
}

export function WellKnownField(props: FieldProps) {
  const { t } = useTranslation("options");
  const { field } = props;
  const { state, fetchNow, fetchNew, forget } = useDiscovery(field.text);
  const set = (text: string) => {
    field.set(text);
    forget();
  };
  return (
    <div className={styles.place}>
      <div
        className={styles.row}
        onBlur={() => field.isDirty && fetchNew()}
        onKeyDown={(event) => {
          // Enter and Ctrl+S save the page, and a save takes the endpoints along.
          const saves = event.key === "Enter" || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s");
          if (saves && field.isDirty) fetchNew();
        }}
      >
        <LineField {...props} field={{ ...field, set }} />
        <BusyButton isBusy={state.kind === "fetching"} disabled={field.text.trim() === ""} onClick={fetchNow}>
          {t("discovery.fetch")}
        </BusyButton>
      </div>
      <p className={styles.told} role="status">
        {state.kind === "filled" && t("discovery.filled")}
      </p>
      <FieldError error={state.kind === "failed" ? state.message : undefined} />
    </div>
  );
}
