/** A CSS module gives its classes the names that they have in the page. */
declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
declare module "*.css";
