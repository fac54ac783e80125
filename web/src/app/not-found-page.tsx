/** The pages for an unknown address, and for one that the user's role may not open. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../lib/i18n.ts";
import { useViewer } from "../lib/viewer.ts";
import { Empty } from "../ui/feedback/empty.tsx";
import { usePageTitle } from "../ui/page.tsx";
import { buttonLook } from "../ui/plain.tsx";
import { PublicFrame } from "./public-layout.tsx";

function NothingHere({ kind }: { kind: "notFound" | "notAllowed" }) {
  const { t } = useTranslation("shell");
  usePageTitle(t(`${kind}.title`));
  const isGuest = useViewer() === null;
  return (
    <PublicFrame>
      <Empty
        isPage
        title={t(`${kind}.title`)}
        sentence={t(`${kind}.text`)}
        actions={
          <Link to={isGuest ? "/" : "/token"} {...buttonLook("filled")}>
            {t(isGuest ? "notFound.home" : "notFound.console")}
          </Link>
        }
      />
    </PublicFrame>
  );
}

export const NotFoundPage = () => <NothingHere kind="notFound" />;

/** Shown in place of an administrator's page to all other users. */
export const NotAllowedPage = () => <NothingHere kind="notAllowed" />;
