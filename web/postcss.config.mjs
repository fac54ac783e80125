/** Nesting and the Mantine mixins in our style sheets. */
export default { plugins: { "postcss-preset-mantine": {} } };
