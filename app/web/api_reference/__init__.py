"""`/docs`: the OpenAPI document as a page, by Swagger UI, which is in `static` as published."""
