"""`/docs`: the OpenAPI document as a page, by Swagger UI, which lies in `static` as its authors publish it."""
