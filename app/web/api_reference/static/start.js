// No validator: it would send the document's address to a server of Swagger's.
window.SwaggerUIBundle({
  url: "openapi.json", // beside this page
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  filter: true,
  validatorUrl: null,
});
