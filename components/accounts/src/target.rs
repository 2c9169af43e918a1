//! The user or token to delete.

use spindrift_api::IdBody;
use spindrift_core::Id;
use spindrift_service::Failure;
use spindrift_service::requests::management::{MAX_JSON_BYTES, query_id};
use spindrift_web::{Request, required};

/// `id` from the query, or else from a JSON body; 400 `missing id` without either.
pub(crate) async fn read_id(mut request: Request) -> Result<Id, Failure> {
    match query_id(&request) {
        Ok(id) => Ok(id),
        Err(missing) => {
            let body = request.read_body(MAX_JSON_BYTES).await?;
            if body.is_empty() {
                return Err(missing.into());
            }
            let body: IdBody = spindrift_web::parse_json(&body)?;
            Ok(Id::from_text(required(body.id, "id")?))
        }
    }
}
