/** Actions on the selected redemption codes: copying them, or saving them as a file. */
import { Button } from "@mantine/core";
import { IconCopy, IconDownload } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { copyText } from "../../lib/clipboard.ts";
import { saveFile } from "../../lib/download.ts";
import { codesFileName, codesText } from "./model/code.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

/** Copies the codes, one a line, and says so. */
function useCopyCodes(codes: readonly string[]): () => Promise<void> {
  const { t } = useTranslation("redemptions");
  return async () => {
    if (await copyText(codes.join("\n"))) toast.success(t("codesCopied", { count: codes.length }));
  };
}

/** Two buttons: copy the codes, and save them as a text file of this name. */
export function KeepCodes({ codes, name }: { codes: readonly string[]; name: string }) {
  const { t } = useTranslation("redemptions");
  const copy = useCopyCodes(codes);
  return (
    <>
      <Button leftSection={<IconCopy {...glyph} />} onClick={() => void copy()}>
        {t("copyCodes")}
      </Button>
      <Button
        leftSection={<IconDownload {...glyph} />}
        onClick={() =>
          saveFile(new Blob([codesText(codes)], { type: "text/plain;charset=utf-8" }), codesFileName(name))
        }
      >
        {t("download")}
      </Button>
    </>
  );
}
