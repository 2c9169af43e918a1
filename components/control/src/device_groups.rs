//! `/device-groups`: groups of devices, such as testers, which releases admit in addition to their
//! rollouts (`docs/rollouts.md`).

use http::StatusCode;
use serde_json::json;
use spindrift_api::{
    DeviceGroupCreateBody, DeviceGroupDevicesBody, DeviceGroupEntry, DeviceGroupSizeBody, DeviceGroupsBody,
    ErrorCode, MessageBody,
};
use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_core::{
    Action, AppName, DeviceGroupName, DeviceId, GroupDevice, GroupKey, Id, MAX_GROUP_DEVICES, MAX_GROUPS,
    Timestamp,
};
use spindrift_db::changes::Subject;
use spindrift_db::device_groups::{self, DeviceGroup};
use spindrift_db::{Audit, SqlConn, release_places};
use spindrift_service::device_groups::require_room;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json, query_id, reason};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Request, Response, parse_parameter, required};

pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let DeviceGroupCreateBody { app, name, reason: why } = request.read_json(MAX_JSON_BYTES).await?;
    let app: AppName = parse_parameter("app", &required(app, "app")?)?;
    let name: DeviceGroupName = parse_parameter("name", &required(name, "name")?)?;
    let why = reason(why)?;
    let app = session.named_app(&app)?;
    session.require(Action::Roll, Some(&app.id))?;
    let (text, key) = new_key(ports)?;
    let group = DeviceGroup {
        id: ports.new_id(),
        app_id: app.id,
        app: app.name,
        name,
        devices: 0,
        created_at: session.now,
    };
    session
        .commit(Subject::App(&group.app_id), |conn| {
            let present = device_groups::of_app(conn, session.owner_id(), &group.app_id)?;
            if present.iter().any(|other| other.name == group.name) {
                return Err(ApiError::conflict(ErrorCode::AlreadyExists, "group already exists").into());
            }
            if present.len() as u64 >= MAX_GROUPS {
                return Err(ApiError::Conflict(
                    format!("an application has at most {MAX_GROUPS} groups").into(),
                )
                .into());
            }
            device_groups::insert(conn, session.owner_id(), &group, &key)?;
            let entry = noted(&session.principal, AuditKind::GroupCreate, &group);
            Ok::<_, Failure>((
                (),
                entry.adding(json!({ "name": &group.name })).with_reason(why.clone()).into(),
            ))
        })
        .await?;
    private_json(StatusCode::CREATED, &DeviceGroupEntry { key: Some(text), ..entry(group) })
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let app = session.query_app(&request.query()?)?;
    let groups = device_groups::of_app(&session.conn, session.owner_id(), &app.id)?;
    private_json(StatusCode::OK, &DeviceGroupsBody { groups: groups.into_iter().map(entry).collect() })
}

pub(crate) async fn delete<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let group = present(&session.conn, &session.principal, &query_id(request)?)?;
    require_roll(&session.conn, &session.principal, &group)?;
    session
        .commit(Subject::App(&group.app_id), |conn| {
            let group = present(conn, &session.principal, &group.id)?;
            if !device_groups::offers(conn, &group.app_id, &group.name)?.is_empty() {
                return Err(ApiError::conflict(ErrorCode::InUse, "a release lets the group in").into());
            }
            device_groups::delete(conn, &group.id)?;
            let entry = noted(&session.principal, AuditKind::GroupDelete, &group);
            Ok::<_, Failure>(((), entry.removing(json!({ "name": &group.name })).into()))
        })
        .await?;
    private_json(StatusCode::OK, &MessageBody { message: "Group deleted".into() })
}

/// Adds devices to the list, and removes others.
pub(crate) async fn change_devices<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let DeviceGroupDevicesBody { add, remove, reason: why } = request.read_json(MAX_JSON_BYTES).await?;
    let why = reason(why)?;
    let group = present(&session.conn, &session.principal, &id_of_path(&request))?;
    require_roll(&session.conn, &session.principal, &group)?;
    let [add, remove] = [("add", add), ("remove", remove)].map(|(name, ids)| devices(&group, name, ids));
    let (add, remove) = (add?, remove?);
    if add.is_empty() && remove.is_empty() {
        return Err(ApiError::bad_request("nothing to change: add or remove").into());
    }
    let devices = session
        .commit(Subject::App(&group.app_id), |conn| {
            let before = present(conn, &session.principal, &group.id)?;
            if !device_groups::change_devices(conn, &group.id, &add, &remove)? {
                return Ok((before.devices, Audit::Unchanged));
            }
            let after = present(conn, &session.principal, &group.id)?;
            if after.devices > MAX_GROUP_DEVICES {
                let text = format!("a group has at most {MAX_GROUP_DEVICES} devices");
                return Err(ApiError::Conflict(text.into()).into());
            }
            require_room(conn, &group.app_id)?;
            let entry = noted(&session.principal, AuditKind::GroupUpdate, &group);
            let entry =
                entry.changing(json!({ "devices": before.devices }), json!({ "devices": after.devices }));
            Ok::<_, Failure>((after.devices, entry.with_reason(why.clone()).into()))
        })
        .await?;
    private_json(StatusCode::OK, &DeviceGroupSizeBody { devices })
}

/// Replaces the key. The previous key becomes invalid.
pub(crate) async fn new_key_of<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let group = present(&session.conn, &session.principal, &id_of_path(request))?;
    require_roll(&session.conn, &session.principal, &group)?;
    let (text, key) = new_key(ports)?;
    session
        .commit(Subject::App(&group.app_id), |conn| {
            let group = present(conn, &session.principal, &group.id)?;
            device_groups::set_key(conn, &group.id, &key)?;
            Ok::<_, Failure>(((), noted(&session.principal, AuditKind::GroupKey, &group).into()))
        })
        .await?;
    private_json(StatusCode::CREATED, &DeviceGroupEntry { key: Some(text), ..entry(group) })
}

/// A key, in the form that testers type, and in the stored form.
fn new_key(ports: &impl Ports) -> Result<(String, GroupKey), Failure> {
    let text = GroupKey::text(ports.random_bytes());
    let key = text.parse().map_err(|error| ServiceError::Internal(format!("a new key: {error}")))?;
    Ok((text, key))
}

fn id_of_path(request: &Request) -> Id {
    let id = request.path().split('/').nth(2).unwrap_or_default();
    Id::from_text(id)
}

/// Device ids in their stored form.
fn devices(
    group: &DeviceGroup,
    name: &'static str,
    ids: Option<Vec<String>>,
) -> Result<Vec<GroupDevice>, ApiError> {
    let device = |id: String| {
        let id: DeviceId = parse_parameter(name, &id)?;
        Ok(GroupDevice::of(&group.app_id, id.expose()))
    };
    ids.unwrap_or_default().into_iter().map(device).collect()
}

/// The owner's group. 404 if it does not exist, or the caller may not see its application.
fn present(conn: &impl SqlConn, principal: &Principal, id: &Id) -> Result<DeviceGroup, Failure> {
    let group = device_groups::by_id(conn, &principal.owner_id, id)?;
    let group = group.ok_or_else(|| ApiError::not_found("group"))?;
    principal.require_visible(&group.app_id, "group")?;
    Ok(group)
}

/// 403 unless the caller may change the offers of all releases that admit the group.
fn require_roll(conn: &impl SqlConn, principal: &Principal, group: &DeviceGroup) -> Result<(), Failure> {
    principal.require(Action::Roll, Some(&group.app_id))?;
    for offer in device_groups::offers(conn, &group.app_id, &group.name)? {
        let places = release_places::of_release(conn, &offer)?;
        principal.require_in(Action::Roll, &group.app_id, &places)?;
    }
    Ok(())
}

/// The audit entry of a change. It contains neither keys nor devices.
fn noted(principal: &Principal, kind: AuditKind, group: &DeviceGroup) -> AuditEntry {
    principal.entry(kind).of_app(&group.app_id, &group.app).of_object(&group.id, group.name.as_str())
}

fn entry(group: DeviceGroup) -> DeviceGroupEntry {
    DeviceGroupEntry {
        id: group.id,
        app: group.app.into(),
        name: group.name.into(),
        devices: group.devices,
        created_at: Timestamp::to_rfc3339(group.created_at),
        key: None,
    }
}
