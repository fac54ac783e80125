/** In place of a model or a comparison whose price list could not be loaded. */
import { Navigate } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import { ApiError } from "../../../lib/api.ts";
import { wantedAddress } from "../../../lib/next-address.ts";
import { useViewer } from "../../../lib/viewer.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";

interface ListFailedProps {
  error: unknown;
  onRetry: () => void;
}

/**
 * Why the list is not there. A visitor of a site whose prices are for users alone is led to the login: on the first page of a browser
 * the router does not know yet that it is such a site.
 */
export function ListFailed({ error, onRetry }: ListFailedProps) {
  const { t } = useTranslation("pricing");
  const viewer = useViewer();
  const isRefused = error instanceof ApiError && error.code === "not_logged_in";

  // A user whose session has ended is led there by the API client, which says so.
  if (isRefused && viewer === null) {
    const { pathname, search } = window.location;
    return <Navigate to="/login" search={wantedAddress(pathname + search)} replace />;
  }
  return <ErrorState title={t("notLoaded")} error={error} onRetry={onRetry} />;
}
