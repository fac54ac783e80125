/** The Mantine theme over the variables of tokens.css. */
import { createTheme, type MantineColorsTuple, type MantineTheme } from "@mantine/core";
import { IconChevronDown, IconEye, IconEyeOff } from "@tabler/icons-react";
import { createElement } from "react";

const ACCENT: MantineColorsTuple = [
  "#EEF0FF",
  "#E0E3FF",
  "#C9CEFE",
  "#ABB2FC",
  "#98A1FB",
  "#8C96FA",
  "#818CF8",
  "#6366F1",
  "#4F46E5",
  "#4338CA",
];
const DARK: MantineColorsTuple = [
  "#E9ECF2",
  "#C4CBD8",
  "#A6AFC0",
  "#7F899C",
  "#333B4A",
  "#222834",
  "#161A22",
  "#0F1218",
  "#0B0D12",
  "#07090C",
];

const PasswordEye = ({ reveal }: { reveal: boolean }) =>
  createElement(reveal ? IconEyeOff : IconEye, { size: 15, stroke: 1.5 });

const TOOLTIP_DELAY_MS = 250;

/** Settings that all components share; their looks are in controls.css. */
export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 8, dark: 6 },
  autoContrast: true,
  colors: { accent: ACCENT, dark: DARK },
  fontFamily: "var(--font-sans)",
  fontFamilyMonospace: "var(--font-mono)",
  defaultRadius: 8,
  cursorType: "pointer",
  respectReducedMotion: true,
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "18px", md: "20px", lg: "24px", xl: "28px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  breakpoints: { xs: "376px", sm: "601px", md: "1100px", lg: "1200px", xl: "1440px" },
  components: {
    Button: { defaultProps: { variant: "default", size: "sm" } },
    PasswordInput: { defaultProps: { visibilityToggleIcon: PasswordEye } },
    Select: {
      defaultProps: {
        rightSection: createElement(IconChevronDown, { size: 15, stroke: 1.5 }),
        rightSectionPointerEvents: "none",
        allowDeselect: false,
      },
    },
    Tooltip: { defaultProps: { openDelay: TOOLTIP_DELAY_MS, withArrow: false, transitionProps: { duration: 80 } } },
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        shadow: "none",
        transitionProps: { duration: 80 },
        position: "bottom-end",
      },
    },
    Popover: { defaultProps: { shadow: "none", transitionProps: { duration: 80 } } },
    Modal: { defaultProps: { transitionProps: { duration: 120 }, overlayProps: { color: "transparent" } } },
    Drawer: { defaultProps: { transitionProps: { duration: 140 }, overlayProps: { color: "transparent" } } },
  },
});

/** Our variables are in tokens.css, so Mantine adds none. */
export const noVariables = (_theme: MantineTheme) => ({ variables: {}, light: {}, dark: {} });
